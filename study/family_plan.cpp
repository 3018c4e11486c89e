#include "study/family_plan.h"

#include "planner/budget/cost_of.h"
#include "planner/search/find_plans.h"

#include <algorithm>
#include <cstdint>
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

bool surelyFits(const PlanReport& report) {
    return !report.plans.empty() && report.plans.front().memory.onDevice == Verdict::Fits;
}

/// A search of the family's stacks and rules. One that ends before it finds what surely fits goes
/// on as long as a plan's own, or as long as those before have left: what it found out is known.
Result<PlanReport> searchedFamily(const AdviceTask& task,
                                  const AdviceFamily& family,
                                  const PlanBench& bench) {
    SearchOptions options{.top = 1,
                          .misses = 1,
                          .distinct = true,
                          .mostWalked = kMostEventsOfMany,
                          .slowest = bench.slowest,
                          .threads = bench.threads,
                          .known = task.known};
    const auto search = [&] {
        return findPlans({task.base, family.stacks, family.rules},
                         bench.timing,
                         options,
                         {.stop = bench.watch.stop});
    };
    FABRICAST_ASSIGN(PlanReport report, search());
    std::int64_t own = kMostEventsWalked;
    std::int64_t& left = task.walksLeft == nullptr ? own : *task.walksLeft;
    if (report.cutShort.empty() || surelyFits(report) || left <= report.walked) {
        return report;
    }
    options.mostWalked = left;
    FABRICAST_ASSIGN(PlanReport longer, search());
    left -= longer.walked;
    return longer;
}

/// The plan that this search lists first.
Result<std::optional<Plan>> bestOf(const AdviceTask& task,
                                   const AdviceFamily& family,
                                   const PlanBench& bench,
                                   AdviceStep& step) {
    FABRICAST_ASSIGN(PlanReport report, searchedFamily(task, family, bench));
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
