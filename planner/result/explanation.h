#pragma once
#include "planner/result/changes.h"
#include "planner/result/memory_breakdown.h"
#include "planner/result/run_cost.h"
#include "planner/result/sensitivity.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// A matrix product of a layer's forward pass: rows x columns with an inner side of `depth`.
struct ProductTime {
    std::string name;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t depth = 0;
    std::int64_t count = 1;  ///< side by side: experts
    Seconds time{};

    [[nodiscard]] double flops() const {
        return 2.0 * static_cast<double>(rows) * static_cast<double>(columns) *
               static_cast<double>(depth) * static_cast<double>(count);
    }
};

/// This is all that was asked about one layout; sections that were not asked for are empty.
struct Explanation {
    Scenario scenario;
    std::optional<Verdict> verdict;  ///< of every explanation; empty: memory is not modelled
    std::string whyNoVerdict;
    std::optional<MemoryBreakdown> memory;
    std::optional<StepEstimate> step;
    std::vector<ProductTime> products;  ///< of a layer, with formulas of the time
    std::optional<FasterChange> faster;
    std::optional<RunCost> cost;
    CostBasis basis;  ///< of the cost
    std::optional<Sensitivity> sensitivity;
};

}  // namespace fabricast
