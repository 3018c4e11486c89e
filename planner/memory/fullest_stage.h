#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// The most that any stage of a scenario allocates. Of stages that run the same layers only those
/// with most microbatches in flight are walked; a stage that reaches `enough` ends the search.
Result<Bytes> fullestAllocation(const Scenario& scenario, Bytes enough);

}  // namespace fabricast
