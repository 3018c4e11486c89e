#include "planner/base/expected_work.h"
#include "planner/base/parallel_map.h"
#include "planner/budget/cost_of.h"
#include "simulator/program/simulate_step.h"
#include "study/rules_of_thumb.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// What the objective says of the plan if its step takes as long as simulated.
double simulatedValue(PlanObjective objective, Plan plan, const BudgetFacts& budget) {
    const double longer = plan.simulated->count() / plan.step.step.value.count();
    plan.step.step.value = *plan.simulated;
    plan.step.tokensPerSecond /= longer;
    plan.step.tokensPerGpuSecond /= longer;
    return planValue(objective, plan, budget).value_or(std::numeric_limits<double>::infinity());
}

/// By the ops of the plans that were found, before any is simulated.
Result<void> checkSimulated(const std::vector<Plan>& plans,
                            const TimingProfiles& timing,
                            const Watch& watch) {
    constexpr double kOfPlan = 8e-3;
    constexpr double kOfOp = 1e-6;
    if (watch.mayTakeLong) {
        return {};
    }
    double seconds = 0.0;
    std::size_t quick = 0;
    for (const Plan& plan : plans) {
        const Result<std::size_t> ops = expectedOps(plan.scenario, timing);
        seconds += kOfPlan + (ops ? kOfOp * static_cast<double>(*ops) : 0.0);
        quick += seconds <= kQuickSeconds ? 1U : 0U;
    }
    return checkWork({.where = "--simulate",
                      .what = std::to_string(plans.size()) +
                              (plans.size() == 1 ? " simulation" : " simulations"),
                      .seconds = seconds,
                      .less = quick > 0 ? "--simulate " + std::to_string(quick) : ""},
                     watch);
}

}  // namespace

Result<PlanReport> withSimulations(PlanReport report,
                                   const SecondOpinion& asked,
                                   const TimingProfiles& timing,
                                   const BudgetFacts& budget,
                                   const Watch& watch) {
    const std::size_t count = std::min(asked.plans, report.plans.size());
    const std::vector<Plan> first(report.plans.begin(),
                                  report.plans.begin() + static_cast<std::ptrdiff_t>(count));
    FABRICAST_TRY(checkSimulated(first, timing, watch));
    const auto steps = parallelMap(
        first,
        [&timing](const Plan& plan) { return simulatedEstimate(plan.scenario, timing); },
        {.threads = asked.threads, .stop = watch.stop});
    FABRICAST_TRY(watch.check());
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < count; ++i) {
        const Result<StepEstimate>& step = (*steps)[i];
        if (!step) {
            return tl::unexpected(step.error());
        }
        report.plans[i].simulated = step->step.value;
        order.emplace_back(simulatedValue(report.objective, report.plans[i], budget), i);
    }
    std::ranges::stable_sort(order, {}, &std::pair<double, std::size_t>::first);
    const std::vector<Plan> forecast = report.plans;
    for (std::size_t i = 0; i < count; ++i) {
        report.plans[i] = forecast[order[i].second];
    }
    report.plans.resize(std::min(report.plans.size(), asked.shown));
    return report;
}

}  // namespace fabricast
