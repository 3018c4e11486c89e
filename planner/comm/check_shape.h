#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// Whether the model and the layout divide, and every size stays far inside 64 bits.
Result<void> checkShape(const Scenario& scenario);

}  // namespace fabricast
