#pragma once
#include "planner/estimate/stage_time.h"

namespace fabricast {

/// Where a distributed optimizer gathers its weights by slices (settings.megatron.gather_slices),
/// it cuts each rank's part out of each weight, joins them, gathers, and copies them back one by
/// one. This is what a step takes longer for it: the copies on the GPU, or what the host is behind
/// when the gather has ended. It issues all of it while the GPU still reduces gradients.
double gatherCopySeconds(const StepContext& context, const StageView& view, const StageTime& stage);

}  // namespace fabricast
