#pragma once
#include "simulator/program/step_transfers.h"

namespace fabricast {

/// What comes after the passes: reductions that nothing hid, shared gradients, the gradient norm
/// that all ranks wait for, the optimizer, gathers of what it stepped, and the training loop.
void addStepEnd(const Scenario& scenario,
                const StepPieces& pieces,
                StageOpWriter& writer,
                const StepTransfers& transfers);

}  // namespace fabricast
