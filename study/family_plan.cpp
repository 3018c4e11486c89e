#include "planner/budget/cost_of.h"
#include "planner/report/plan_views.h"
#include "planner/search/batch_steps.h"
#include "planner/search/find_plans.h"
#include "study/option_search.h"

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
    return first->why;
}

/// A search of the family's stacks and rules. Until it finds what surely fits it goes on, with half
/// of what those before have left.
Result<PlanReport> searchedFamily(const AdviceTask& task,
                                  const AdviceFamily& family,
                                  const PlanBench& bench) {
    std::int64_t own = kMostEventsWalked;
    std::int64_t& left = task.walksLeft == nullptr ? own : *task.walksLeft;
    const SearchOptions options{.top = 1,
                                .misses = 1,
                                .distinct = true,
                                .mostWalked = std::min(kMostEventsOfMany, left),
                                .mostUnsure = left / 2,
                                .slowest = bench.slowest,
                                .threads = bench.threads,
                                .known = task.known};
    FABRICAST_ASSIGN(PlanReport report,
                     findPlans({task.base, family.stacks, family.rules},
                               bench.timing,
                               options,
                               {.stop = bench.watch.stop}));
    left -= report.walked;
    return report;
}

/// The batch, where others have layouts that are taken; what was refused first says less.
Result<std::string> refusedText(const AdviceTask& task,
                                const AdviceFamily& family,
                                const PlanReport& report,
                                const Watch& watch) {
    if (report.rejections.empty()) {
        return std::string("no layout was found");
    }
    const PlanRejection& first = report.rejections.front();
    if (!report.refused || !report.hasLayouts()) {
        return first.why;
    }
    FABRICAST_ASSIGN(const std::optional<std::int64_t> step,
                     batchStep({task.base, family.stacks, family.rules}, {.stop = watch.stop}));
    return step ? "no layout of " + std::to_string(task.base.cluster.gpus()) + " GPUs that " +
                      first.stack + " takes has a dp that divides a global batch of " +
                      std::to_string(task.base.workload.globalBatch)
                : first.why;
}

/// The plan that this search lists first.
Result<std::optional<Plan>> bestOf(const AdviceTask& task,
                                   const AdviceFamily& family,
                                   const PlanBench& bench,
                                   AdviceStep& step) {
    FABRICAST_ASSIGN(PlanReport report, searchedFamily(task, family, bench));
    step.cutShort = report.cutShort;
    if (!report.plans.empty()) {
        return std::optional(std::move(report.plans.front()));
    }
    if (report.isNotModelled()) {
        step.answer = AdviceAnswer::NotModelled;
        step.why = notModelledText(report);
    } else if (!report.misses.empty()) {
        step.unmodelled = unmodelledText(report);
        step.plan = std::move(report.misses.front());
    } else {
        FABRICAST_ASSIGN(step.why, refusedText(task, family, report, bench.watch));
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
