#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// What is not modelled beside `offload=activations`, by name: torch's save_on_cpu is walked around
/// transformers' dense models under DDP, FSDP2 and on one GPU, where everything is trained.
Result<void> checkSavedOnHost(const Scenario& scenario);

}  // namespace fabricast
