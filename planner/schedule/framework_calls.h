#pragma once
#include "planner/schedule/comm_program.h"

#include <utility>
#include <vector>

namespace fabricast {

// What each framework's ranks call, a file each.
std::vector<CommStep> deepspeedTrainCalls(const PipelineShape& shape, std::int64_t rank);
std::vector<CommStep> deepspeedDualPipeVCalls(const PipelineShape& shape, std::int64_t rank);
std::vector<CommStep> megatronCalls(const PipelineShape& shape, std::int64_t rank);
/// The order is Interleaved or InterleavedPairs.
std::vector<CommStep> megatronInterleavedCalls(const FrameworkOrder& order,
                                               std::int64_t rank,
                                               P2pMode mode);
std::vector<CommStep> torchGpipeCalls(const PipelineShape& shape, std::int64_t rank);
std::vector<CommStep> torchOneFOneBCalls(const PipelineShape& shape, std::int64_t rank);
/// The schedules with several stages per rank run on one runtime.
CommProgram torchRuntimeCalls(const ActionOrder& order);

/// This writes one rank's program. Calls without transfers are left out.
class ProgramWriter {
public:
    void compute(StageAction action) {
        steps_.push_back({.kind = CommStep::Kind::Compute, .action = action});
    }
    void compute(std::int64_t stage, std::int64_t microBatch, Pass pass) {
        compute({static_cast<std::int32_t>(stage), static_cast<std::int32_t>(microBatch), pass});
    }
    void call(std::vector<PeerTransfer> ops) {
        if (!ops.empty()) {
            steps_.push_back({.kind = CommStep::Kind::Call, .ops = std::move(ops)});
        }
    }
    /// The number of the post.
    std::int32_t post(std::vector<PeerTransfer> ops) {
        steps_.push_back(
            {.kind = CommStep::Kind::Post, .handle = ++handles_, .ops = std::move(ops)});
        return handles_;
    }
    /// A call that posts nothing still has a number.
    void skipHandle() { ++handles_; }
    void wait(std::int32_t handle) {
        steps_.push_back({.kind = CommStep::Kind::Wait, .handle = handle});
    }
    void waitFor(std::int32_t handle, std::int32_t which, const PeerTransfer& op) {
        steps_.push_back(
            {.kind = CommStep::Kind::Wait, .handle = handle, .which = which, .ops = {op}});
    }
    [[nodiscard]] std::vector<CommStep> finish() && { return std::move(steps_); }

private:
    std::vector<CommStep> steps_;
    std::int32_t handles_ = 0;
};

/// The transfer of a stage's output or gradient, as one side has it.
inline PeerTransfer transferOf(
    bool send, bool forward, std::int64_t peer, std::int64_t stage, std::int64_t microBatch) {
    return {send,
            forward,
            static_cast<std::int32_t>(peer),
            static_cast<std::int32_t>(stage),
            static_cast<std::int32_t>(microBatch)};
}

}  // namespace fabricast
