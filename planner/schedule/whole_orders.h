#pragma once
#include "planner/schedule/action_order.h"

#include <vector>

namespace fabricast {

// Schedules whose ranks are planned together.

/// Half of 1F1B's memory, (p+2)/2 microbatches, and about half of its bubble.
std::vector<StageActions> vHalfActions(const PipelineShape& shape);
/// The least memory, (p+4)/3 microbatches, and two thirds of its bubble.
std::vector<StageActions> vMinActions(const PipelineShape& shape);

}  // namespace fabricast
