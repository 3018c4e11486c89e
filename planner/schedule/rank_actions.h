#pragma once
#include "planner/schedule/action_order.h"

#include <cstdint>
#include <vector>

namespace fabricast {

// What rank `rank` of a pipeline runs under each schedule. A file each, named after the schedule.
// The shape has been accepted by `frameworkOrder`.

StageActions gpipeActions(const PipelineShape& shape, std::int64_t rank);
StageActions oneFOneBActions(const PipelineShape& shape, std::int64_t rank);
StageActions loopedBfsActions(const PipelineShape& shape, std::int64_t rank);
/// Chunks in groups of `shape.group` microbatches, 1F1B after a warm-up.
StageActions interleavedActions(const PipelineShape& shape, std::int64_t rank);
/// The same with one more forward of warm-up, each 1F1B pair overlapped: what hides Megatron's
/// expert all-to-all.
StageActions interleavedPairActions(const PipelineShape& shape, std::int64_t rank);
/// Weight gradients wait, from rank r on by r; with one chunk ZB-H1.
StageActions interleavedZbActions(const PipelineShape& shape, std::int64_t rank);
StageActions zbVActions(const PipelineShape& shape, std::int64_t rank);
/// With weight gradients split off where that fills the bubble, and without.
StageActions dualPipeVActions(const PipelineShape& shape, std::int64_t rank);
StageActions dualPipeVWholeActions(const PipelineShape& shape, std::int64_t rank);

/// DeepSeek's own: p stages twice, one pipeline down the ranks and one up. Ranks and microbatches
/// are even.
StageActions dualPipeTwoWayActions(const PipelineShape& shape, std::int64_t rank);
StageActions zbH2Actions(const PipelineShape& shape, std::int64_t rank);

// Schedules whose ranks are planned together.

/// Half of 1F1B's memory, (p+2)/2 microbatches, and about half of its bubble.
std::vector<StageActions> vHalfActions(const PipelineShape& shape);
/// The least memory, (p+4)/3 microbatches, and two thirds of its bubble.
std::vector<StageActions> vMinActions(const PipelineShape& shape);

}  // namespace fabricast
