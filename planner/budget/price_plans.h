#pragma once
#include "planner/budget/budget_facts.h"
#include "planner/result/plan_report.h"

namespace fabricast {

/// The report with what each of its plans costs, and what that rests on.
PlanReport withCosts(PlanReport report, const BudgetFacts& facts);

}  // namespace fabricast
