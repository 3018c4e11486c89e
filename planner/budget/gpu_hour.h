#pragma once
#include "planner/budget/budget_facts.h"
#include "planner/result/run_cost.h"

#include <string>

namespace fabricast {

/// What an hour of one GPU costs. A rented one has its price, said outright or by the profile; an
/// owned one is written off, and draws electricity:
///     purchase · wholeOverGpu / (years · 8766 h) + watts per GPU / 1000 · usdPerKwh
GpuHour gpuHour(const std::string& gpu, const RunPower& power, const BudgetFacts& facts);

/// What the numbers of a cost rest on, and why there is no price where there is none.
CostBasis costBasis(const std::string& gpu, std::int64_t gpus, const BudgetFacts& facts);

}  // namespace fabricast
