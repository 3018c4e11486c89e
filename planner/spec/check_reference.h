#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// What does not go with `settings.reference`, or is not modelled beside it, by name.
Result<void> checkReference(const Scenario& scenario);

}  // namespace fabricast
