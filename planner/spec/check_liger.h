#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// What Liger's kernels (`settings.kernels.loss=liger`, and `norm`, `rope` and `activation`) do not
/// go with, or are not modelled beside, by name.
Result<void> checkLiger(const Scenario& scenario);
/// Of that, whether Liger has the kernels for the model at all: no operations are known of others.
Result<void> checkLigerCode(const Scenario& scenario);

}  // namespace fabricast
