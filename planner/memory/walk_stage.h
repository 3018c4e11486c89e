#pragma once
#include "planner/base/result.h"
#include "planner/memory/stage_rank.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// One rank of one pipeline stage, walked through a step. Without `replay` nothing is said of what
/// the allocator reserves, and `allocated` counts only its rounding.
enum class Allocator { Replay, RoundOnly };
Result<StageMemory> walkStage(const Scenario& scenario,
                              const StageRank& where,
                              Allocator allocator = Allocator::Replay);

}  // namespace fabricast
