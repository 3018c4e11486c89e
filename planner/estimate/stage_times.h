#pragma once
#include "planner/estimate/stage_time.h"

#include <vector>

namespace fabricast {

/// All pipeline ranks of a step, in order. Ranks inside the pipeline that run as many layers of
/// each kind make the same calls and take the same time: one of them is timed.
Result<std::vector<StageTime>> stageTimes(const StepContext& context);

}  // namespace fabricast
