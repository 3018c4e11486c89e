#pragma once
#include "planner/result/memory_breakdown.h"
#include "planner/result/run_cost.h"
#include "planner/result/sensitivity.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/edit.h"
#include "planner/spec/scenario.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// A change of one key that makes the step shorter and still fits, or may.
struct FasterChange {
    std::string set;  ///< "layout.tp=4", as --set takes it
    std::vector<Edit> edits;
    Headline<Seconds> step;
    Verdict verdict = Verdict::Fits;
};

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
