#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// Refuses a scenario that no arithmetic of memory can be done on: counts below one, parts that do
/// not divide, and sizes whose bytes would not fit 64 bits. What a framework refuses beyond that is
/// its stack's business.
Result<void> checkScenario(const Scenario& scenario);

}  // namespace fabricast
