#pragma once
#include "planner/base/result.h"
#include "planner/memory/stage_rank.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// One rank of one pipeline stage, walked through a step. Without `Replay` nothing is said of what
/// the allocator reserves, and `allocated` counts only its rounding; `PeakOnly` says nothing of
/// what the peak is made of either.
enum class Allocator { Replay, RoundOnly, PeakOnly };
Result<StageMemory> walkStage(const Scenario& scenario,
                              const StageRank& where,
                              Allocator allocator = Allocator::Replay);

}  // namespace fabricast
