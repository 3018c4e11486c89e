#pragma once
#include "planner/estimate/stage_time.h"

#include <vector>

namespace fabricast {

/// What is still to be waited for once a step beyond the pipeline's span because of one stage:
/// gradients whose reduction nothing hid, shared gradients, the norm, and parameters that are
/// gathered. `slack` and `firstForward` are those of its chunks.
struct StageSlack {
    std::vector<double> slack;
    std::vector<double> firstForward;
};
double dataParallelTail(const StepContext& context, const StageTime& stage, const StageSlack& when);

}  // namespace fabricast
