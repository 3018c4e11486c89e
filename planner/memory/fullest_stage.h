#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"
#include "planner/base/watch.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// The most that any stage of a scenario allocates. Of stages that run the same layers only those
/// with most microbatches in flight are walked; a stage that reaches `enough` ends the search.
Result<Bytes> fullestAllocation(const Scenario& scenario, Bytes enough, const Watch& watch = {});

/// The stages of which one is the fullest: of those that run alike, those with most in flight.
Result<std::vector<std::int64_t>> stagesThatDecide(const Scenario& scenario);

}  // namespace fabricast
