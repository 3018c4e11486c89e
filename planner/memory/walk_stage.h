#pragma once
#include "planner/base/result.h"
#include "planner/memory/program/stage_rank.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <limits>

namespace fabricast {

/// One rank of one pipeline stage, walked through a step. Without `Replay` nothing is said of what
/// the allocator reserves, and `allocated` counts only its rounding; `PeakOnly` says nothing of
/// what the peak is made of either. Where tensors alone ask for more than `replayUpTo`, nothing is
/// replayed.
enum class Allocator { Replay, RoundOnly, PeakOnly };
inline constexpr Bytes kNoLimit{std::numeric_limits<std::int64_t>::max()};
Result<StageMemory> walkStage(const Scenario& scenario,
                              const StageRank& where,
                              Allocator allocator = Allocator::Replay,
                              Bytes replayUpTo = kNoLimit);

}  // namespace fabricast
