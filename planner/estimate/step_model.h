#pragma once
#include "planner/estimate/estimate_step.h"

#include <functional>

namespace fabricast {

/// Whatever says how long a step takes: the formulas, or a simulation of it. Thread-safe.
using StepModel =
    std::function<Result<StepEstimate>(const Scenario& scenario, const TimingProfiles& profiles)>;

}  // namespace fabricast
