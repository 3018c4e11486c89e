#pragma once
#include "planner/budget/budget_facts.h"
#include "planner/result/run_cost.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// What of a layout decides its cost.
struct CostedStep {
    Headline<Seconds> step;
    double busy = 1.0;  ///< busyShare of its parts
    Bytes checkpoint;   ///< checkpointBytes of the scenario; a stack has one for all layouts
};
CostedStep costedStep(const Scenario& scenario, const StepEstimate& step);

/// Money, energy and time of training: per token, and of a whole run where tokens were said.
///     wall = tokens / tokens per step · step / goodput
///     $    = GPUs · wall · $ per GPU-hour          kWh = GPUs · wall · watts per GPU
/// The interval is that of the step time, with the goodput's at its ends.
///     const RunCost cost = costOf(scenario, costedStep(scenario, step), facts);
RunCost costOf(const Scenario& scenario, const CostedStep& step, const BudgetFacts& facts);

}  // namespace fabricast
