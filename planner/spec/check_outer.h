#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// What of `settings.outer` does not fit the rest of a scenario, or is not modelled, by name.
Result<void> checkOuter(const Scenario& scenario);

}  // namespace fabricast
