#pragma once
#include "planner/budget/budget_facts.h"
#include "planner/evidence/site_profile.h"
#include "planner/result/plan_report.h"
#include "planner/result/run_cost.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/cluster_spec.h"
#include "planner/spec/scenario.h"

#include <optional>
#include <string>

namespace fabricast {

/// The share of a step in which kernels run: all but the bubble and host overhead.
double busyShare(const TimeByPart& parts);

/// What a GPU draws with its share of the node and the building. A node that computes draws
/// `trainingShare` of its rated power; each GPU that waits draws `gpuSwing` of its own less:
///     node = trainingShare · rated - gpuSwing · GPUs · gpuPower · (1 - busy)
///     perGpu = pue · node / GPUs
/// A node without published power counts as `nodeOverGpus` times its GPUs. Without the power of
/// the GPU nothing is known.
RunPower runPower(const ClusterSpec& cluster, const PowerFacts& facts, double busy);

/// What an hour of one GPU costs. A rented one has its price, given directly or by the profile; an
/// owned one is written off, and draws electricity:
///     purchase · wholeOverGpu / (years · 8766 h · utilisation) + watts per GPU / 1000 · usdPerKwh
GpuHour gpuHour(const std::string& gpu, const RunPower& power, const BudgetFacts& facts);

/// The basis of a cost, and the reason if there is no price.
CostBasis costBasis(const ClusterSpec& cluster, std::int64_t gpus, const BudgetFacts& facts);
/// The same of a run, whose batch and sequence say how many tokens it has.
CostBasis costBasis(const Scenario& scenario, std::int64_t gpus, const BudgetFacts& facts);

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
