#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// What of `settings.train` does not fit the rest of a scenario, or is not modelled, by name:
/// frozen weights are walked in transformers' dense models under DDP, FSDP2 and on one GPU.
Result<void> checkTrained(const Scenario& scenario);

}  // namespace fabricast
