#include "planner/schedule/framework_calls.h"

#include <array>

namespace fabricast {

namespace {

/// A rank has a forward and a backward in turn, one per step of the pipeline; at its ends one of
/// them is of no microbatch. Each instruction blocks.
class TrainSteps {
public:
    TrainSteps(const PipelineShape& shape, std::int64_t rank) : shape_(shape), rank_(rank) {}

    std::vector<CommStep> run() && {
        std::int64_t before = -1;  // the microbatch of the step before, of the other direction
        for (std::int64_t step = 0; step < 2 * (shape_.microBatches + shape_.ranks - 1); ++step) {
            const bool forward = (step + rank_) % 2 == 0;
            const std::int64_t first = forward ? rank_ : 2 * shape_.ranks - 1 - rank_;
            const std::int64_t microBatch = step < first ? -1 : (step - first) / 2;
            exchange(forward, microBatch, before);
            if (isOne(microBatch)) {
                program_.compute(rank_, microBatch, forward ? Pass::Forward : Pass::Backward);
            }
            before = microBatch;
        }
        return std::move(program_).finish();
    }

private:
    [[nodiscard]] bool isOne(std::int64_t microBatch) const {
        return microBatch >= 0 && microBatch < shape_.microBatches;
    }

    /// What the last step made goes to the side where this step's input comes from.
    void exchange(bool forward, std::int64_t microBatch, std::int64_t before) {
        const std::int64_t peer = rank_ + (forward ? -1 : 1);
        if (peer < 0 || peer >= shape_.ranks) {
            return;
        }
        const PeerTransfer out = transferOf(true, !forward, peer, rank_, before);
        const PeerTransfer in = transferOf(false, forward, peer, peer, microBatch);
        if (forward && isOne(before)) {
            program_.call({out});
        }
        if (isOne(microBatch)) {
            program_.call({in});
        }
        if (!forward && isOne(before)) {
            program_.call({out});
        }
    }

    PipelineShape shape_;
    std::int64_t rank_;
    ProgramWriter program_;
};

constexpr std::size_t kDownPhase = 0;
constexpr std::size_t kUpPhase = 1;

/// DualPipeVSchedule: transfers are queued, and done together before the next computation.
class DualPipeVSteps {
public:
    DualPipeVSteps(const PipelineShape& shape, std::int64_t rank) : shape_(shape), rank_(rank) {}

    std::vector<CommStep> run() && {
        const std::int64_t inside = shape_.ranks - rank_ - 1;  // ranks further inside
        for (std::int64_t i = 0; i < 2 * inside; ++i) {
            receive(kDownPhase, true);
            forward(kDownPhase);
        }
        warmUp();
        for (std::int64_t i = 0; i < inside; ++i) {
            receive(kUpPhase, false);
            backward(kUpPhase);
            receive(kUpPhase, true);
            commit();
            forward(kUpPhase);
        }
        steady();
        for (std::int64_t i = 0; i < inside; ++i) {
            receive(kUpPhase, false);
            backward(kUpPhase);
            pair(kUpPhase, kDownPhase, true);
        }
        for (std::int64_t i = 0; i <= rank_; ++i) {
            receive(kUpPhase, false);
            backward(kUpPhase);
            receive(kDownPhase, false);
            backward(kDownPhase);
        }
        for (std::int64_t i = 0; i < inside; ++i) {
            commit();
            receive(kDownPhase, false);
            backward(kDownPhase);
        }
        commit();
        return std::move(program_).finish();
    }

private:
    void warmUp() {
        receive(kDownPhase, true);
        for (std::int64_t i = 0; i <= rank_; ++i) {
            computeForward(kDownPhase);
            receive(kDownPhase, true);
            receive(kUpPhase, true);
            computeForward(kUpPhase);
            if (!isInnermost() || i < rank_) {
                send(kUpPhase, true);
            }
            send(kDownPhase, true);
        }
    }

    void steady() {
        const std::int64_t turns = shape_.microBatches - 2 * shape_.ranks + rank_ + 1;
        for (std::int64_t i = 0; i < turns; ++i) {
            if (i == 0 && isInnermost()) {
                computeForward(kDownPhase);
                send(kUpPhase, true);
                receive(kUpPhase, false);
                computeBackward(kUpPhase);
                send(kDownPhase, true);
                send(kUpPhase, false);
            } else {
                pair(kDownPhase, kUpPhase, i > 0);
            }
            pair(kUpPhase, kDownPhase, true);
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
        return phase == kDownPhase ? rank_ : 2 * shape_.ranks - 1 - rank_;
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

// deepspeed.runtime.pipe.schedule.TrainSchedule
std::vector<CommStep> deepspeedTrainCalls(const PipelineShape& shape, std::int64_t rank) {
    return TrainSteps(shape, rank).run();
}

std::vector<CommStep> deepspeedDualPipeVCalls(const PipelineShape& shape, std::int64_t rank) {
    return DualPipeVSteps(shape, rank).run();
}

}  // namespace fabricast
