#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// What of `settings.phases` does not fit the rest of a scenario, or is not modelled, by name.
Result<void> checkPhases(const Scenario& scenario);

}  // namespace fabricast
