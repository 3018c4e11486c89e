#include "simulator/engine/simulate.h"

#include "planner/base/check.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace fabricast {
namespace {

struct Event {
    SimTime time;
    std::uint32_t sequence = 0;
    OpIndex op = kNoOp;
};

/// For a heap whose front is the first event.
struct Later {
    bool operator()(const Event& a, const Event& b) const {
        return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
    }
};

/// The kernels that an actor runs now, where something may slow them.
struct Kernels {
    OpIndex op = kNoOp;
    std::uint32_t planned = 0;  ///< the sequence of the event that will end them
    double left = 0.0;          ///< picoseconds of work
    SimTime since;              ///< when `left` was true
    std::uint32_t slowing = 0;  ///< ops beside them that slow them
};

class EventLoop {
public:
    explicit EventLoop(const SimProgram& program)
        : program_(program),
          ops_(program.ops()),
          waits_(ops_.size()),
          dependants_(program.edges().size()),
          firstDependant_(ops_.size() + 1),
          kernels_(program.setting().actors) {
        run_.start.resize(ops_.size());
        run_.end.resize(ops_.size());
        run_.cause.resize(ops_.size(), kNoOp);
        sortEdges();
    }

    Result<SimRun> run() {
        for (OpIndex op = 0; op < ops_.size(); ++op) {
            if (waits_[op] == 0) {
                start(op, SimTime(0), kNoOp);
            }
        }
        while (!events_.empty() && !tooLong_) {
            std::ranges::pop_heap(events_, Later{});
            const Event event = events_.back();
            events_.pop_back();
            if (!replaced(event)) {
                finish(event);
            }
        }
        if (tooLong_) {
            return fail(Error::Code::Unsupported,
                        "simulate",
                        "a step of more than 106 days cannot be counted in picoseconds");
        }
        if (run_.events < ops_.size()) {
            return tl::unexpected(deadlock());
        }
        countBytes();
        return std::move(run_);
    }

private:
    void sortEdges() {
        for (const SimProgram::Edge& edge : program_.edges()) {
            ++firstDependant_[edge.after + std::size_t{1}];
            ++waits_[edge.op];
        }
        std::partial_sum(firstDependant_.begin(), firstDependant_.end(), firstDependant_.begin());
        std::vector<std::uint32_t> free(firstDependant_.begin(), firstDependant_.end() - 1);
        for (const SimProgram::Edge& edge : program_.edges()) {
            dependants_[free[edge.after]++] = edge.op;
        }
        for (const OpIndex next : program_.next()) {
            if (next != kNoOp) {
                ++waits_[next];
            }
        }
    }

    void plan(OpIndex op, SimTime now, SimTime duration) {
        const SimTime last(std::numeric_limits<std::int64_t>::max());
        tooLong_ = tooLong_ || duration > last - now;
        events_.push_back({tooLong_ ? last : now + duration, sequence_++, op});
        std::ranges::push_heap(events_, Later{});
    }

    void start(OpIndex index, SimTime now, OpIndex cause) {
        const SimOp& op = ops_[index];
        run_.start[index] = now;
        run_.cause[index] = cause;
        if (op.slows) {
            changeSlowing(op.actor, now, 1);
        }
        if (op.slowed) {
            Kernels& kernels = kernels_[op.actor];
            FABRICAST_CHECK(kernels.op == kNoOp);
            kernels.op = index;
            kernels.left = static_cast<double>(op.duration.count());
            planKernels(kernels, now);
        } else {
            plan(index, now, op.duration);
        }
    }

    void finish(const Event& event) {
        const SimOp& op = ops_[event.op];
        run_.end[event.op] = event.time;
        ++run_.events;
        if (op.slowed) {
            kernels_[op.actor].op = kNoOp;
        }
        if (op.slows) {
            changeSlowing(op.actor, event.time, -1);
        }
        for (std::uint32_t i = firstDependant_[event.op];
             i < firstDependant_[event.op + std::size_t{1}];
             ++i) {
            release(dependants_[i], event);
        }
        if (const OpIndex next = program_.next()[event.op]; next != kNoOp) {
            release(next, event);
        }
        run_.makespan = std::max(run_.makespan, event.time);
    }

    void release(OpIndex op, const Event& event) {
        if (--waits_[op] == 0) {
            start(op, event.time, event.op);
        }
    }

    /// Kernels that were planned anew end at a later event.
    [[nodiscard]] bool replaced(const Event& event) const {
        const SimOp& op = ops_[event.op];
        return op.slowed &&
               (kernels_[op.actor].op != event.op || kernels_[op.actor].planned != event.sequence);
    }

    [[nodiscard]] double rateOf(const Kernels& kernels) const {
        return kernels.slowing > 0 ? 1.0 - program_.setting().contention : 1.0;
    }

    void planKernels(Kernels& kernels, SimTime now) {
        kernels.since = now;
        kernels.planned = sequence_;
        plan(kernels.op, now, simTime(Seconds(kernels.left / rateOf(kernels) / kPicoseconds)));
    }

    void changeSlowing(ActorIndex actor, SimTime now, int change) {
        Kernels& kernels = kernels_[actor];
        const double before = rateOf(kernels);
        kernels.slowing += static_cast<std::uint32_t>(change);
        if (kernels.op != kNoOp && rateOf(kernels) != before) {
            const auto elapsed = static_cast<double>((now - kernels.since).count());
            kernels.left = std::max(0.0, kernels.left - elapsed * before);
            planKernels(kernels, now);
        }
    }

    void countBytes() {
        run_.sent.resize(program_.setting().actors);
        run_.received.resize(program_.setting().actors);
        Bytes moved;
        for (const SimHop& hop : program_.hops()) {
            FABRICAST_CHECK(hop.bytes >= Bytes(0) && run_.start[hop.op] >= run_.end[hop.made]);
            run_.sent[hop.from] += hop.bytes;
            run_.received[hop.to] += hop.bytes;
            moved += hop.bytes;
        }
        const auto sum = [](const std::vector<Bytes>& all) {
            return std::accumulate(all.begin(), all.end(), Bytes(0));
        };
        FABRICAST_CHECK(sum(run_.sent) == moved && sum(run_.received) == moved);
    }

    /// Some of the ops that never start, in their order.
    [[nodiscard]] Error deadlock() const {
        constexpr std::size_t kNamed = 4;
        std::string names;
        std::size_t waiting = 0;
        for (OpIndex op = 0; op < ops_.size(); ++op) {
            if (waits_[op] > 0 && ++waiting <= kNamed) {
                names += (names.empty() ? "" : "; ") + opText(ops_[op]);
            }
        }
        names += waiting > kNamed ? "; …" : "";
        return {Error::Code::BadInput,
                "simulate",
                std::to_string(waiting) + " ops wait for each other for ever: " + names,
                "another schedule, group or number of microbatches"};
    }

    const SimProgram& program_;
    const std::vector<SimOp>& ops_;
    std::vector<std::uint32_t> waits_;  ///< by op: what it still waits for
    std::vector<OpIndex> dependants_;
    std::vector<std::uint32_t> firstDependant_;  ///< by op, into dependants_
    std::vector<Kernels> kernels_;               ///< by actor
    std::vector<Event> events_;
    std::uint32_t sequence_ = 0;
    bool tooLong_ = false;  ///< some op ends later than can be counted
    SimRun run_;
};

}  // namespace

Result<SimRun> simulate(const SimProgram& program) {
    return EventLoop(program).run();
}

}  // namespace fabricast
