#pragma once
#include "planner/budget/budget_facts.h"
#include "planner/result/plan_report.h"
#include "planner/result/run_cost.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/scenario.h"

#include <optional>

namespace fabricast {

/// What of a layout decides its cost.
struct CostedStep {
    Headline<Seconds> step;
    double busy = 1.0;  ///< busyShare of its parts
    Bytes checkpoint;   ///< checkpointBytes of the scenario; a stack has one for all layouts
};
CostedStep costedStep(const Scenario& scenario, const StepEstimate& step);

/// Money, energy and time of training: per token, and of a whole run if tokens were given.
///     wall = tokens / tokens per step · step / goodput
///     $    = GPUs · wall · $ per GPU-hour          kWh = GPUs · wall · watts per GPU
/// The interval is that of the step time, with the goodput's at its ends.
///     const RunCost cost = costOf(scenario, costedStep(scenario, step), facts);
RunCost costOf(const Scenario& scenario, const CostedStep& step, const BudgetFacts& facts);

/// What an objective wants little of in a plan: seconds per token, bytes, dollars or joules per
/// token, GPUs. Nothing where the price or the power is not known.
std::optional<double> planValue(PlanObjective objective,
                                const Plan& plan,
                                const BudgetFacts& facts);

/// The report with what each of its plans costs, and what that rests on.
PlanReport withCosts(PlanReport report, const BudgetFacts& facts);

}  // namespace fabricast
