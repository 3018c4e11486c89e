#include "planner/schedule/framework_calls.h"

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

}  // namespace

// deepspeed.runtime.pipe.schedule.TrainSchedule
std::vector<CommStep> deepspeedTrainCalls(const PipelineShape& shape, std::int64_t rank) {
    return TrainSteps(shape, rank).run();
}

}  // namespace fabricast
