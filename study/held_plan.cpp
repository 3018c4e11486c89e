#include "study/held_plan.h"

#include "planner/memory/stage_memory.h"
#include "planner/search/distinct_plans.h"
#include "planner/spec/layout_fields.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fabricast {
namespace {

/// Whether the rules of a search leave this layout.
bool isLeft(const Scenario& scenario, const LayoutRules& rules) {
    const Layout& layout = scenario.layout;
    bool left = !rules.fixed.says("copies");
    eachField(layout, [&](const auto& field, const auto& value) {
        left = left && rules.take(field.name, field.member, value);
    });
    const RecomputeSettings& recompute = scenario.settings.recompute;
    const bool isRecomputeHeld =
        rules.fixed.says("recompute") && rules.fixed.recompute != recompute;
    const NodeSpec& node = scenario.cluster.node;
    const bool isJoined =
        rules.tensorAcrossNodes || layout.tp <= std::max(node.domainGpus, node.gpus);
    return left && !isRecomputeHeld && rules.takeRecompute(recompute) && isJoined;
}

/// As many ranks as there are GPUs, with other numbers of copies; micro-batches of as many tokens
/// as before, where the batch can be dealt out so.
std::optional<Layout> heldLayout(const Plan& now, const Scenario& base) {
    Layout layout = now.scenario.layout;
    const std::int64_t copy = layout.world() / layout.dp;
    const std::int64_t gpus = base.cluster.gpus();
    if (gpus % copy != 0) {
        return std::nullopt;
    }
    layout.dp = gpus / copy;
    if (base.workload.globalBatch % layout.dp != 0) {
        return std::nullopt;
    }
    const std::int64_t tokens = layout.microBatch * now.scenario.workload.sequence;
    const std::int64_t samples = std::max<std::int64_t>(1, tokens / base.workload.sequence);
    layout.microBatch = std::gcd(samples, base.workload.globalBatch / layout.dp);
    return layout;
}

/// Its scenario; an error where a stack or a rule refuses it.
Result<Scenario> heldScenario(const Plan& now, const SearchTask& task) {
    const auto stack = std::ranges::find_if(task.stacks, [&now](const StackSettings& one) {
        return one.stack->name == now.scenario.stack;
    });
    const std::optional<Layout> layout = heldLayout(now, task.base);
    if (stack == task.stacks.end() || !layout) {
        return fail(Error::Code::Unsupported, "layout", "is none of the question");
    }
    Scenario scenario = task.base;
    scenario.stack = now.scenario.stack;
    scenario.layout = *layout;
    FABRICAST_ASSIGN(scenario.settings, stack->settingsFor(*layout));
    scenario.settings.recompute = now.scenario.settings.recompute;
    FABRICAST_TRY(stack->stack->check(scenario));
    if (!isLeft(scenario, task.rules)) {
        return fail(Error::Code::Unsupported, "layout", "is ruled out");
    }
    return scenario;
}

}  // namespace

Result<HeldPlan> heldPlan(const Plan& now,
                          const SearchTask& task,
                          const TimingProfiles& timing,
                          const Watch& watch) {
    HeldPlan held;
    const Result<Scenario> scenario = heldScenario(now, task);
    if (!scenario) {
        return held;
    }
    const Result<MemoryBreakdown> memory = memoryOfFullestStage(*scenario, kNoLimit, watch);
    FABRICAST_TRY(watch.check());
    if (!memory) {
        return held;
    }
    for (const StageMemory& stage : memory->stages) {
        held.walked += stage.eventsWalked;
    }
    Plan plan{.scenario = *scenario, .memory = *memory};
    if (plan.memory.onDevice == Verdict::DoesNotFit || !plan.fitsHost()) {
        return held;
    }
    Result<StepEstimate> step = estimateStep(*scenario, timing);
    if (step) {
        plan.step = *std::move(step);
        held.plan = std::move(plan);
    }
    return held;
}

bool precedes(const Plan& a, const Plan& b, const SearchOptions& rule) {
    const auto rank = [&rule](const Plan& plan) {
        const Verdict verdict = plan.memory.verdict;
        const bool isMemory = rule.objective == PlanObjective::Memory;
        return std::pair(countsAsFit(verdict, rule.tight) ? Verdict::Fits : verdict,
                         isMemory ? static_cast<double>(plan.memory.peak.value.count())
                                  : plan.step.step.value.count());
    };
    return rank(a) < rank(b);
}

PlanReport withHeld(PlanReport report, const std::optional<Plan>& held, const SearchOptions& rule) {
    const bool isCut = report.tooSlow || !report.cutShort.empty();
    const bool isBeaten =
        held && !report.plans.empty() && !precedes(*held, report.plans.front(), rule);
    if (!held || !isCut || isBeaten) {
        return report;
    }
    report.plans.insert(report.plans.begin(), *held);
    report.plans.resize(std::min(report.plans.size(), rule.top));
    report.misses.clear();
    report.tooSlow = false;
    return report;
}

}  // namespace fabricast
