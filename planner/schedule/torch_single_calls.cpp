#include "planner/schedule/framework_calls.h"

#include <algorithm>

namespace fabricast {
namespace {

/// The transfers of a rank with one stage; none at the ends of the pipeline.
class OneStage {
public:
    OneStage(const PipelineShape& shape, std::int64_t rank) : ranks_(shape.ranks), rank_(rank) {}

    using Ops = std::vector<PeerTransfer>;
    [[nodiscard]] Ops receiveForward(std::int64_t microBatch) const {
        return rank_ == 0 ? Ops{} : Ops{transferOf(false, true, rank_ - 1, rank_ - 1, microBatch)};
    }
    [[nodiscard]] Ops sendForward(std::int64_t microBatch) const {
        return isLast() ? Ops{} : Ops{transferOf(true, true, rank_ + 1, rank_, microBatch)};
    }
    [[nodiscard]] Ops receiveBackward(std::int64_t microBatch) const {
        return isLast() ? Ops{} : Ops{transferOf(false, false, rank_ + 1, rank_ + 1, microBatch)};
    }
    [[nodiscard]] Ops sendBackward(std::int64_t microBatch) const {
        return rank_ == 0 ? Ops{} : Ops{transferOf(true, false, rank_ - 1, rank_, microBatch)};
    }

private:
    [[nodiscard]] bool isLast() const { return rank_ == ranks_ - 1; }

    std::int64_t ranks_;
    std::int64_t rank_;
};

/// A post that may be of nothing.
std::int32_t postSome(ProgramWriter& program, std::vector<PeerTransfer> ops) {
    return ops.empty() ? 0 : program.post(std::move(ops));
}
void waitSome(ProgramWriter& program, std::int32_t handle) {
    if (handle != 0) {
        program.wait(handle);
    }
}

std::vector<PeerTransfer> joined(std::vector<PeerTransfer> first,
                                 const std::vector<PeerTransfer>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

}  // namespace

// ScheduleGPipe: receives are waited for at once, sends at the end of each half.
std::vector<CommStep> torchGpipeCalls(const PipelineShape& shape, std::int64_t rank) {
    const OneStage stage(shape, rank);
    ProgramWriter program;
    for (const bool forward : {true, false}) {
        std::vector<std::int32_t> sends;
        for (std::int64_t i = 0; i < shape.microBatches; ++i) {
            waitSome(
                program,
                postSome(program, forward ? stage.receiveForward(i) : stage.receiveBackward(i)));
            program.compute(rank, i, forward ? Pass::Forward : Pass::Backward);
            sends.push_back(
                postSome(program, forward ? stage.sendForward(i) : stage.sendBackward(i)));
        }
        for (const std::int32_t handle : sends) {
            waitSome(program, handle);
        }
    }
    return std::move(program).finish();
}

// Schedule1F1B: in the steady phase a send goes with the next receive, and both are waited for.
std::vector<CommStep> torchOneFOneBCalls(const PipelineShape& shape, std::int64_t rank) {
    const OneStage stage(shape, rank);
    const std::int64_t count = shape.microBatches;
    const std::int64_t ahead = std::min(count, shape.ranks - rank);
    ProgramWriter program;
    const auto exchange = [&program](std::vector<PeerTransfer> ops) {
        waitSome(program, postSome(program, std::move(ops)));
    };
    std::int32_t sent = 0;
    for (std::int64_t i = 0; i < ahead; ++i) {
        exchange(stage.receiveForward(i));
        program.compute(rank, i, Pass::Forward);
        waitSome(program, sent);
        sent = i + 1 < ahead ? postSome(program, stage.sendForward(i)) : 0;
    }
    std::int64_t done = 0;
    for (std::int64_t next = ahead; done + ahead <= count; ++next, ++done) {
        exchange(joined(stage.sendForward(next - 1), stage.receiveBackward(done)));
        program.compute(rank, done, Pass::Backward);
        if (next < count) {
            exchange(joined(stage.sendBackward(done), stage.receiveForward(next)));
            program.compute(rank, next, Pass::Forward);
        }
    }
    sent = postSome(program, stage.sendBackward(done - 1));
    for (; done < count; ++done) {
        exchange(stage.receiveBackward(done));
        program.compute(rank, done, Pass::Backward);
        waitSome(program, sent);
        sent = postSome(program, stage.sendBackward(done));
    }
    waitSome(program, sent);
    return std::move(program).finish();
}

}  // namespace fabricast
