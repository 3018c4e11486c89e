#pragma once
#include "planner/base/result.h"
#include "planner/estimate/step_estimator.h"
#include "simulator/program/step_program.h"
#include "simulator/program/step_transfers.h"

namespace fabricast {

/// What one rank hands to another for a microbatch.
struct HandOver {
    SimTime duration;
    Bytes bytes;

    /// From one stage to another.
    [[nodiscard]] SimOp op(std::size_t from, std::size_t to, StepFlows& flows) const;
};

/// The passes of every microbatch in the stack's own order, with transfers between stages:
/// concurrent with the receiver's passes, or in front of them where the stack's receives block; or
/// by the framework's own calls.
Result<void> addPasses(const Scenario& scenario,
                       const StepPieces& pieces,
                       HandOvers handOvers,
                       StageOpWriter& writer,
                       StepTransfers& transfers);

}  // namespace fabricast
