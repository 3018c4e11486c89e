#pragma once
#include "planner/base/result.h"
#include "planner/estimate/step_pieces.h"
#include "simulator/program/step_transfers.h"

namespace fabricast {

/// The passes of every microbatch in the stack's own order, with hand-overs between stages: beside
/// the receiver's passes, or in front of them where the stack's receives block.
Result<void> addPasses(const Scenario& scenario,
                       const StepPieces& pieces,
                       StageOpWriter& writer,
                       StepTransfers& transfers);

}  // namespace fabricast
