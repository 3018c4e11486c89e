#pragma once
#include "planner/result/memory_breakdown.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/scenario.h"

#include <optional>

namespace fabricast {

/// This is all that was asked about one layout; sections that were not asked for are empty.
struct Explanation {
    Scenario scenario;
    std::optional<MemoryBreakdown> memory;
    std::optional<StepEstimate> step;
    bool showsTime = false;  ///< of the step: where the time goes
    bool showsComm = false;  ///< and its communication calls
};

}  // namespace fabricast
