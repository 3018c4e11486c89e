#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/budget/budget_facts.h"
#include "planner/estimate/estimate_step.h"
#include "planner/result/plan_report.h"

#include <cstddef>

namespace fabricast {

/// What the report's first plans take when they are simulated, in the order of that; those behind
/// them stay where they are. As many as `shown` are kept.
struct SecondOpinion {
    std::size_t plans = 0;
    std::size_t shown = 0;
    std::size_t threads = 1;
};
Result<PlanReport> withSimulations(PlanReport report,
                                   const SecondOpinion& asked,
                                   const TimingProfiles& timing,
                                   const BudgetFacts& budget,
                                   const Watch& watch);

}  // namespace fabricast
