#pragma once
#include "planner/estimate/stage_time.h"

namespace fabricast {

/// The optimizer's pass over a stage's states: gradients are cleared, their norm taken and scaled,
/// and the rank's share of moments and weights stepped.
double optimizerSeconds(const StepContext& context, const StageTime& stage);

}  // namespace fabricast
