#pragma once
#include "planner/estimate/data_parallel_time.h"
#include "planner/estimate/step_estimator.h"
#include "simulator/program/stage_ops.h"

#include <vector>

namespace fabricast {

/// A chunk whose parameters are gathered while the step's first forwards run, or whose gradients
/// are reduced while its last backward still does: layer by layer, so that the first layer's
/// transfer, or the last one's, has nothing to overlap with.
class StepTransfers {
public:
    StepTransfers(const Scenario& scenario, const StepPieces& pieces, StageOpWriter& writer);

    [[nodiscard]] TailOverlap hidden() const { return hidden_; }

    /// The first forward of a chunk; what ended last.
    StageOps firstForward(std::size_t stage,
                          const SimOp& what,
                          const PassPieces& pieces,
                          const std::vector<StageOps>& inputs);
    /// The pass that completes a chunk's gradients; what ended last.
    StageOps lastGradient(std::size_t stage,
                          const SimOp& what,
                          const PassPieces& pieces,
                          const std::vector<StageOps>& inputs);
    /// The last of the stage's reductions; empty where there is none.
    [[nodiscard]] const StageOps& reduced(std::size_t stage) const { return reduced_[stage]; }

private:
    [[nodiscard]] double layers(std::size_t stage) const;
    /// One op of a collective over the data-parallel ranks, once `ready` have ended.
    StageOps transfer(std::size_t stage, SimKind kind, SimTime duration, const StageOps& ready);

    const Scenario& scenario_;
    const StepPieces& pieces_;
    StageOpWriter& writer_;
    TailOverlap hidden_;
    std::vector<StageOps> reduced_;
};

}  // namespace fabricast
