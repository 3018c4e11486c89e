#include "planner/schedule/framework_calls.h"

#include <array>

namespace fabricast {
namespace {

constexpr std::size_t kDown = 0;
constexpr std::size_t kUp = 1;

/// DualPipeVSchedule: transfers are queued, and done together before the next computation.
class DualPipeVSteps {
public:
    DualPipeVSteps(const PipelineShape& shape, std::int64_t rank) : shape_(shape), rank_(rank) {}

    std::vector<CommStep> run() && {
        const std::int64_t inside = shape_.ranks - rank_ - 1;  // ranks further inside
        for (std::int64_t i = 0; i < 2 * inside; ++i) {
            receive(kDown, true);
            forward(kDown);
        }
        warmUp();
        for (std::int64_t i = 0; i < inside; ++i) {
            receive(kUp, false);
            backward(kUp);
            receive(kUp, true);
            commit();
            forward(kUp);
        }
        steady();
        for (std::int64_t i = 0; i < inside; ++i) {
            receive(kUp, false);
            backward(kUp);
            pair(kUp, kDown, true);
        }
        for (std::int64_t i = 0; i <= rank_; ++i) {
            receive(kUp, false);
            backward(kUp);
            receive(kDown, false);
            backward(kDown);
        }
        for (std::int64_t i = 0; i < inside; ++i) {
            commit();
            receive(kDown, false);
            backward(kDown);
        }
        commit();
        return std::move(program_).finish();
    }

private:
    void warmUp() {
        receive(kDown, true);
        for (std::int64_t i = 0; i <= rank_; ++i) {
            computeForward(kDown);
            receive(kDown, true);
            receive(kUp, true);
            computeForward(kUp);
            if (!isInnermost() || i < rank_) {
                send(kUp, true);
            }
            send(kDown, true);
        }
    }

    void steady() {
        const std::int64_t turns = shape_.microBatches - 2 * shape_.ranks + rank_ + 1;
        for (std::int64_t i = 0; i < turns; ++i) {
            if (i == 0 && isInnermost()) {
                computeForward(kDown);
                send(kUp, true);
                receive(kUp, false);
                computeBackward(kUp);
                send(kDown, true);
                send(kUp, false);
            } else {
                pair(kDown, kUp, i > 0);
            }
            pair(kUp, kDown, true);
        }
    }

    void pair(std::size_t there, std::size_t back, bool receivesForward) {
        if (receivesForward) {
            receive(there, true);
        }
        receive(back, false);
        computeForward(there);
        run(back, Pass::Backward);
        send(there, true);
        send(back, false);
    }
    void forward(std::size_t phase) {
        computeForward(phase);
        send(phase, true);
    }
    void backward(std::size_t phase) {
        computeBackward(phase);
        send(phase, false);
    }
    void computeForward(std::size_t phase) {
        commit();
        run(phase, Pass::Forward);
    }
    void computeBackward(std::size_t phase) {
        commit();
        run(phase, Pass::Backward);
    }

    void run(std::size_t phase, Pass pass) {
        program_.compute(stageOf(phase), turns_[phase][pass == Pass::Forward ? 0 : 1]++, pass);
    }
    void commit() {
        program_.call(std::move(queue_));
        queue_.clear();
    }
    void send(std::size_t phase, bool forward) { queue(true, phase, forward); }
    void receive(std::size_t phase, bool forward) { queue(false, phase, forward); }

    /// Nothing crosses to another rank at the turn and at the ends of the V.
    void queue(bool sends, std::size_t phase, bool forward) {
        const std::int64_t stage = stageOf(phase);
        const std::int64_t other = stage + (sends == forward ? 1 : -1);
        const std::int64_t peer = other < shape_.ranks ? other : 2 * shape_.ranks - 1 - other;
        if (other < 0 || other >= 2 * shape_.ranks || peer == rank_) {
            return;
        }
        std::int64_t& turn = turns_[phase][(sends ? 2U : 4U) + (forward ? 0U : 1U)];
        queue_.push_back(transferOf(sends, forward, peer, sends ? stage : other, turn++));
    }

    [[nodiscard]] std::int64_t stageOf(std::size_t phase) const {
        return phase == kDown ? rank_ : 2 * shape_.ranks - 1 - rank_;
    }
    [[nodiscard]] bool isInnermost() const { return rank_ == shape_.ranks - 1; }

    PipelineShape shape_;
    std::int64_t rank_;
    ProgramWriter program_;
    std::vector<PeerTransfer> queue_;
    /// Of each phase: forwards and backwards run, sent and received so far.
    std::array<std::array<std::int64_t, 6>, 2> turns_{};
};

}  // namespace

std::vector<CommStep> deepspeedDualPipeVCalls(const PipelineShape& shape, std::int64_t rank) {
    return DualPipeVSteps(shape, rank).run();
}

}  // namespace fabricast
