#pragma once
#include "planner/base/result.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"

#include <cstdint>

namespace fabricast {

/// One rank of one pipeline stage, walked through a step. `rank` is its place among the ranks that
/// share the stage's parameters: it matters only where shards are unequal.
Result<StageMemory> walkStage(const Scenario& scenario, std::int64_t stage, std::int64_t rank);

}  // namespace fabricast
