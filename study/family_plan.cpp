#include "study/family_plan.h"

#include "planner/budget/cost_of.h"
#include "planner/search/find_plans.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace fabricast {
namespace {

std::string notModelledText(const PlanReport& report) {
    const auto first = std::ranges::find_if(
        report.rejections, [](const PlanRejection& one) { return one.layouts > 0; });
    return first->why + (report.misses.empty() ? "" : "; what is modelled does not fit");
}

/// The plan that a search of the family's stacks and rules lists first.
Result<std::optional<Plan>> bestOf(const AdviceTask& task,
                                   const AdviceFamily& family,
                                   const PlanBench& bench,
                                   AdviceStep& step) {
    const SearchOptions options{.top = 1,
                                .misses = 1,
                                .distinct = true,
                                .mostWalked = kMostEventsOfMany,
                                .threads = bench.threads,
                                .known = task.known};
    FABRICAST_ASSIGN(PlanReport report,
                     findPlans({task.base, family.stacks, family.rules},
                               bench.timing,
                               options,
                               {.stop = bench.watch.stop}));
    if (!report.plans.empty()) {
        return std::optional(std::move(report.plans.front()));
    }
    if (report.isNotModelled()) {
        step.answer = AdviceAnswer::NotModelled;
        step.why = notModelledText(report);
    } else if (!report.misses.empty()) {
        step.plan = std::move(report.misses.front());
    } else {
        step.why =
            report.rejections.empty() ? "no layout was found" : report.rejections.front().why;
    }
    return std::optional<Plan>();
}

}  // namespace

Result<void> planFamily(const AdviceTask& task,
                        const AdviceFamily& family,
                        const PlanBench& bench,
                        AdviceStep& step) {
    step.answer = AdviceAnswer::No;
    FABRICAST_ASSIGN(std::optional<Plan> plan, bestOf(task, family, bench, step));
    if (plan) {
        plan->cost = costOf(plan->scenario, costedStep(plan->scenario, plan->step), task.budget);
        step.plan = std::move(plan);
        step.timed = true;
    }
    return {};
}

}  // namespace fabricast
