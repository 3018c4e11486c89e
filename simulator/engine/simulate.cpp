#include "simulator/engine/simulate.h"

#include "planner/base/check.h"
#include "simulator/engine/dependants.h"

#include <algorithm>
#include <limits>

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

/// An op whose speed changes while it runs.
struct Changing {
    OpIndex op = kNoOp;
    double left = 0.0;  ///< picoseconds at full speed
    SimTime since;      ///< when `left` was true
    double speed = 0.0;
};

/// The kernels that an actor runs now, where something may slow them.
struct Kernels {
    Changing running;
    std::uint32_t slowing = 0;  ///< concurrent ops that slow them
};

/// The links that ops share, each of rate 1.
std::vector<BytesPerSecond> linksOf(const SimProgram& program) {
    std::size_t links = 0;
    for (const SimFlow& flow : program.flows()) {
        for (const ResourceUse use : flow.uses) {
            links = std::max(links, use.resource + std::size_t{1});
        }
    }
    return std::vector(links, BytesPerSecond(1.0));
}

class EventLoop {
public:
    explicit EventLoop(const SimProgram& program)
        : program_(program),
          ops_(program.ops()),
          waits_(ops_.size()),
          dependants_(program),
          planned_(ops_.size()),
          kernels_(program.setting().actors),
          links_(linksOf(program)),
          moves_(program.flows().empty() ? 0 : ops_.size()) {
        run_.start.resize(ops_.size());
        run_.end.resize(ops_.size());
        run_.cause.resize(ops_.size(), kNoOp);
        countWaits();
    }

    Result<SimRun> run(const std::stop_token& stop) {
        constexpr std::uint64_t kEventsPerLook = 4096;
        for (OpIndex op = 0; op < ops_.size(); ++op) {
            if (waits_[op] == 0) {
                start(op, SimTime(0), kNoOp);
            }
        }
        while ((!events_.empty() || isToSettle_) && !tooLong_) {
            if (isToSettle_ && (events_.empty() || events_.front().time > now_)) {
                settleLinks();
                continue;
            }
            std::ranges::pop_heap(events_, Later{});
            const Event event = events_.back();
            events_.pop_back();
            if (!replaced(event)) {
                finish(event);
            }
            if (run_.events % kEventsPerLook == 0 && stop.stop_requested()) {
                return fail(Error::Code::Stopped, "", "stopped before it was done");
            }
        }
        if (tooLong_) {
            return fail(
                Error::Code::Unsupported, "simulate", "a step must be shorter than 106 days");
        }
        if (run_.events < ops_.size()) {
            return tl::unexpected(deadlockOf(program_, waits_));
        }
        countBytes(program_, run_);
        return std::move(run_);
    }

private:
    void countWaits() {
        for (const SimProgram::Edge& edge : program_.edges()) {
            ++waits_[edge.op];
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
        planned_[op] = sequence_;
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
            FABRICAST_CHECK(kernels.running.op == kNoOp);
            kernels.running = {index, static_cast<double>(op.duration.count()), now};
            setSpeed(kernels.running, now, speedOf(kernels));
        } else if (sharesLinks(op)) {
            move(index, now);
        } else {
            plan(index, now, op.duration);
        }
    }

    [[nodiscard]] bool sharesLinks(const SimOp& op) const {
        return op.flow != kNoFlow && !program_.flows().empty() && op.duration > SimTime(0) &&
               !program_.flows()[op.flow].uses.empty();
    }

    void move(OpIndex index, SimTime now) {
        const SimFlow& flow = program_.flows()[ops_[index].flow];
        const FlowIndex moving =
            links_.add({.uses = flow.uses, .weight = flow.weight, .limit = BytesPerSecond(1.0)});
        moves_[index] = moving;
        moving_.resize(std::max<std::size_t>(moving_.size(), moving + std::size_t{1}));
        moving_[moving] = {index, static_cast<double>(ops_[index].duration.count()), now};
        isToSettle_ = true;
        now_ = now;
    }

    /// What shares links with what begins or ends now may be faster or slower. It is asked once for
    /// all of that, before time goes on.
    void settleLinks() {
        isToSettle_ = false;
        links_.settle();
        for (const FlowIndex flow : links_.solved()) {
            const double speed = links_.rate(flow).count();
            if (speed != moving_[flow].speed) {
                setSpeed(moving_[flow], now_, speed);
            }
        }
    }

    void finish(const Event& event) {
        const SimOp& op = ops_[event.op];
        run_.end[event.op] = event.time;
        ++run_.events;
        if (op.slowed) {
            kernels_[op.actor].running.op = kNoOp;
        } else if (sharesLinks(op)) {
            links_.remove(moves_[event.op]);
            isToSettle_ = true;
            now_ = event.time;
        }
        if (op.slows) {
            changeSlowing(op.actor, event.time, -1);
        }
        for (const OpIndex dependant : dependants_.of(event.op)) {
            release(dependant, event);
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

    /// Rescheduled ops end at another event.
    [[nodiscard]] bool replaced(const Event& event) const {
        return planned_[event.op] != event.sequence;
    }

    [[nodiscard]] double speedOf(const Kernels& kernels) const {
        return kernels.slowing > 0 ? 1.0 - program_.setting().contention : 1.0;
    }

    void setSpeed(Changing& op, SimTime now, double speed) {
        const auto elapsed = static_cast<double>((now - op.since).count());
        op.left = std::max(0.0, op.left - elapsed * op.speed);
        op.since = now;
        op.speed = speed;
        plan(op.op, now, simTime(Seconds(op.left / speed / kPicoseconds)));
    }

    void changeSlowing(ActorIndex actor, SimTime now, int change) {
        Kernels& kernels = kernels_[actor];
        kernels.slowing += static_cast<std::uint32_t>(change);
        const double speed = speedOf(kernels);
        if (kernels.running.op != kNoOp && kernels.running.speed != speed) {
            setSpeed(kernels.running, now, speed);
        }
    }

    const SimProgram& program_;
    const std::vector<SimOp>& ops_;
    std::vector<std::uint32_t> waits_;  ///< by op: what it still waits for
    Dependants dependants_;
    std::vector<std::uint32_t> planned_;  ///< by op: the sequence of the event that ends it
    std::vector<Kernels> kernels_;        ///< by actor
    FairShare links_;
    bool isToSettle_ = false;  ///< ops that share links began or ended `now_`
    SimTime now_;
    std::vector<FlowIndex> moves_;  ///< by op, while it moves
    std::vector<Changing> moving_;  ///< by flow
    std::vector<Event> events_;
    std::uint32_t sequence_ = 0;
    bool tooLong_ = false;  ///< some op ends later than can be counted
    SimRun run_;
};

}  // namespace

Result<SimRun> simulate(const SimProgram& program, const std::stop_token& stop) {
    return EventLoop(program).run(stop);
}

}  // namespace fabricast
