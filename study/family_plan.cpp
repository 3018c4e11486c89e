#include "study/family_plan.h"

#include "planner/budget/cost_of.h"
#include "planner/memory/memory_of_stages.h"
#include "planner/search/find_plans.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// Of this many of the fastest at most, the first that surely fits is taken.
constexpr std::size_t kLooked = 16;

bool surelyFits(const Plan& plan) {
    return plan.memory.onDevice == Verdict::Fits;
}

std::string notModelledText(const PlanReport& report) {
    const auto first = std::ranges::find_if(
        report.rejections, [](const PlanRejection& one) { return one.layouts > 0; });
    return first->why + (report.misses.empty() ? "" : "; what is modelled does not fit");
}

Result<std::vector<Plan>> fastestOf(const AdviceTask& task,
                                    const AdviceFamily& family,
                                    const PlanBench& bench,
                                    AdviceStep& step) {
    const SearchOptions options{.top = kLooked,
                                .untilSure = true,
                                .mostWalked = kMostEventsOfMany,
                                .threads = bench.threads,
                                .known = task.known};
    FABRICAST_ASSIGN(PlanReport report,
                     findPlans({task.base, family.stacks, family.rules},
                               bench.timing,
                               options,
                               {.stop = bench.watch.stop}));
    if (report.isNotModelled()) {
        step.answer = AdviceAnswer::NotModelled;
        step.why = notModelledText(report);
    } else if (report.plans.empty() && !report.misses.empty()) {
        step.plan = std::move(report.misses.front());
    } else if (report.plans.empty()) {
        step.why =
            report.rejections.empty() ? "no layout was found" : report.rejections.front().why;
    }
    return std::move(report.plans);
}

/// The fastest that surely fits, searched in what a GPU has left once the allocator has held back
/// as much as it may of `close`, which may fit; or nothing.
Result<std::optional<Plan>> roomier(const AdviceTask& task,
                                    const AdviceFamily& family,
                                    const PlanBench& bench,
                                    const Plan& close) {
    AdviceTask smaller = task;
    GpuSpec& gpu = smaller.base.cluster.node.gpu;
    const double left = close.memory.peak.value / close.memory.peak.hi;
    const double room = static_cast<double>(gpu.capacity().value->count()) * left;
    gpu.usableMemory = {.value = Bytes(static_cast<std::int64_t>(room))};
    AdviceStep unused;
    FABRICAST_ASSIGN(std::vector<Plan> plans, fastestOf(smaller, family, bench, unused));
    for (Plan& plan : plans) {
        plan.scenario.cluster = task.base.cluster;
        FABRICAST_ASSIGN(plan.memory, memoryOfFullestStage(plan.scenario, kNoLimit));
        if (surelyFits(plan)) {
            return std::optional(std::move(plan));
        }
    }
    return std::optional<Plan>();
}

/// The fastest that surely fits; where there is none, the fastest that may.
Result<std::optional<Plan>> bestOf(const AdviceTask& task,
                                   const AdviceFamily& family,
                                   const PlanBench& bench,
                                   AdviceStep& step) {
    FABRICAST_ASSIGN(std::vector<Plan> plans, fastestOf(task, family, bench, step));
    if (plans.empty()) {
        return std::optional<Plan>();
    }
    const auto sure = std::find_if(plans.begin(), plans.end(), &surelyFits);
    if (sure != plans.end()) {
        return std::optional(std::move(*sure));
    }
    FABRICAST_ASSIGN(std::optional<Plan> other, roomier(task, family, bench, plans.front()));
    return other ? std::move(other) : std::optional(std::move(plans.front()));
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
