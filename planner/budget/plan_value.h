#pragma once
#include "planner/budget/budget_facts.h"
#include "planner/result/plan_report.h"

#include <optional>

namespace fabricast {

/// What an objective wants little of in a plan: seconds per token, bytes, dollars or joules per
/// token, GPUs. Nothing where the price or the power is not known.
std::optional<double> planValue(PlanObjective objective,
                                const Plan& plan,
                                const BudgetFacts& facts);

}  // namespace fabricast
