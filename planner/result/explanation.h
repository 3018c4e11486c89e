#pragma once
#include "planner/result/faster_change.h"
#include "planner/result/memory_breakdown.h"
#include "planner/result/run_cost.h"
#include "planner/result/sensitivity.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/scenario.h"

#include <optional>

namespace fabricast {

/// This is all that was asked about one layout; sections that were not asked for are empty.
struct Explanation {
    Scenario scenario;
    std::optional<MemoryBreakdown> memory;
    std::optional<StepEstimate> step;
    std::optional<FasterChange> faster;
    std::optional<RunCost> cost;
    CostBasis basis;  ///< of the cost
    std::optional<Sensitivity> sensitivity;
};

}  // namespace fabricast
