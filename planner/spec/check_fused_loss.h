#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// What Liger's fused loss (`settings.kernels.loss=liger`) does not go with, or is not modelled
/// beside, by name.
Result<void> checkFusedLoss(const Scenario& scenario);

}  // namespace fabricast
