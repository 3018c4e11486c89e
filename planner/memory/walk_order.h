#pragma once
#include "planner/memory/pipeline_order.h"
#include "planner/result/stage_action.h"

namespace fabricast {

/// A rank's actions as the memory walk runs them: all but input gradients. What a backward keeps
/// for its weight gradient is held until that has run, so the walk has all of the backward there.
PipelineOrder walkOrder(const StageActions& actions);

}  // namespace fabricast
