#pragma once
#include "planner/base/result.h"
#include "planner/budget/budget_facts.h"
#include "planner/spec/scenario.h"
#include "simulator/faults/run_plan.h"

namespace fabricast {

/// What is asked of a run beyond the scenario and its budget.
struct RunRequest {
    std::int64_t steps = 1;
    Seconds step;  ///< of each, when all goes well
    bool failures = false;
    std::optional<std::int64_t> spares;  ///< nodes; empty: there is always one
    std::optional<Seconds> repair;       ///< instead of the site's
};

/// A run with the times of the forecast's goodput: failures of the job, and checkpoints as the
/// budget has them, each at the whole number of steps next to its interval. Without failures it
/// saves only if an interval is given.
///     FABRICAST_ASSIGN(RunPlan plan, planRun(scenario, facts, {.steps = 1000, .step = step}));
Result<RunPlan> planRun(const Scenario& scenario,
                        const BudgetFacts& facts,
                        const RunRequest& request);

}  // namespace fabricast
