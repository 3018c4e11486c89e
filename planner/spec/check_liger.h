#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// What Liger's kernels (`settings.kernels.loss=liger`, and `norm`, `rope` and `activation`) do not
/// go with, or are not modelled beside, by name.
Result<void> checkLiger(const Scenario& scenario);

}  // namespace fabricast
