#include "planner/advise/family_plan.h"

#include "planner/budget/price_plans.h"
#include "planner/memory/estimate_memory.h"
#include "planner/search/find_plans.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

/// Of so many of the fastest, the first that surely fits is taken.
constexpr std::size_t kLooked = 16;

/// The fastest that surely fits; where none of them does, the fastest.
Plan surest(std::vector<Plan> plans) {
    const auto sure = std::find_if(plans.begin(), plans.end(), [](const Plan& plan) {
        return plan.memory.verdict == Verdict::Fits;
    });
    return std::move(sure == plans.end() ? plans.front() : *sure);
}

/// Everything sharded over all GPUs, the state in host memory, every layer recomputed.
Result<Plan> offloaded(const AdviceTask& task, const AdviceFamily& family) {
    const StackSettings& how = family.stacks.front();
    Plan plan{.scenario = task.base};
    Scenario& scenario = plan.scenario;
    scenario.stack = std::string(how.stack->name);
    scenario.layout = {
        .dp = task.base.cluster.gpus(), .shard = Shard::Zero3, .offload = Offload::ParametersCpu};
    FABRICAST_ASSIGN(scenario.settings, how.settingsFor(scenario.layout));
    scenario.settings.recompute = recomputeFor(*how.stack, {.kind = Checkpointing::Full});
    FABRICAST_TRY(how.stack->check(scenario));
    FABRICAST_ASSIGN(plan.memory, judgeMemory(scenario));
    return plan;
}

}  // namespace

Result<void> planFamily(const AdviceTask& task,
                        const AdviceFamily& family,
                        const PlanBench& bench,
                        AdviceStep& step) {
    step.answer = AdviceAnswer::No;
    if (family.memoryOnly) {
        Result<Plan> plan = offloaded(task, family);
        if (plan) {
            step.plan = *std::move(plan);
        } else {
            step.why = plan.error().why;
        }
        return {};
    }
    const SearchOptions options{.top = kLooked, .threads = bench.threads, .suggestFixes = false};
    FABRICAST_ASSIGN(PlanReport found,
                     findPlans({task.base, family.stacks, family.rules}, bench.timing, options));
    PlanReport report = withCosts(std::move(found), task.budget);
    if (!report.plans.empty()) {
        step.plan = surest(std::move(report.plans));
        step.timed = true;
    } else if (!report.misses.empty()) {
        step.plan = std::move(report.misses.front());
    } else {
        step.why = report.rejections.empty() ? "no layout divides the GPUs and the batch"
                                             : report.rejections.front().why;
    }
    return {};
}

}  // namespace fabricast
