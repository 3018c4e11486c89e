#pragma once
#include "planner/base/result.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"

#include <cstdint>

namespace fabricast {

/// Which rank is asked about. `rank` is its place among the ranks that share the stage's
/// parameters: it matters only where shards are unequal.
struct StageRank {
    std::int64_t stage = 0;
    std::int64_t rank = 0;
};

/// One rank of one pipeline stage, walked through a step. Without `replay` nothing is said of what
/// the allocator reserves, and `allocated` counts only its rounding.
enum class Allocator { Replay, RoundOnly };
Result<StageMemory> walkStage(const Scenario& scenario,
                              const StageRank& where,
                              Allocator allocator = Allocator::Replay);

}  // namespace fabricast
