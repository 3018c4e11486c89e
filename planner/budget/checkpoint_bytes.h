#pragma once
#include "planner/base/units.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// What a run has to save to go on from: weights, master weights and optimizer moments of every
/// trained parameter, once each, as the stack keeps them. No gradients, and of LoRA the adapters
/// alone.
Bytes checkpointBytes(const Scenario& scenario);

}  // namespace fabricast
