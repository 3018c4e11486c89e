#include "planner/budget/cost_of.h"
#include "planner/report/plan_views.h"
#include "planner/result/comparison_band.h"
#include "planner/search/batch_steps.h"
#include "planner/search/find_plans.h"
#include "study/option_search.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

/// Whether a plan needs the key of a layout, which is simpler without.
bool needs(std::string_view key, const Layout& layout) {
    return key == "offload" ? layout.offload != Offload::None : layout.pp > 1;
}

/// Of layouts of adapters that a forecast cannot tell apart, one without help from the host, then
/// one without stages: what they save is small where little is trained.
Result<Plan> simplerThan(Plan best,
                         const AdviceTask& task,
                         const AdviceFamily& family,
                         const PlanBench& bench) {
    if (best.scenario.settings.tuning != Tuning::Lora) {
        return best;
    }
    AdviceFamily simple = family;
    for (const std::string_view key : {"offload", "pp"}) {
        if (!needs(key, best.scenario.layout)) {
            continue;
        }
        simple.rules.forbidden.push_back({.key = std::string(key), .value = ""});
        FABRICAST_ASSIGN(PlanReport report, searchedFamily(task, simple, bench));
        if (report.plans.empty()) {
            simple.rules.forbidden.pop_back();
            continue;
        }
        Plan& other = report.plans.front();
        const double band = comparisonBand(best.step.comparison, best.scenario, other.scenario);
        const bool isClose = isWithinBand(other.step.step.value / best.step.step.value, band);
        if (isClose && other.memory.verdict <= best.memory.verdict) {
            best = std::move(other);
        } else {
            simple.rules.forbidden.pop_back();
        }
    }
    return best;
}

/// The plan that this search lists first, or one as fast that is simpler.
Result<std::optional<Plan>> bestOf(const AdviceTask& task,
                                   const AdviceFamily& family,
                                   const PlanBench& bench,
                                   AdviceStep& step) {
    FABRICAST_ASSIGN(PlanReport report, searchedFamily(task, family, bench));
    step.cutShort = report.cutShort;
    if (!report.plans.empty()) {
        FABRICAST_ASSIGN(Plan plan,
                         simplerThan(std::move(report.plans.front()), task, family, bench));
        return std::optional(std::move(plan));
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
