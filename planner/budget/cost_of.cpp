#include "planner/budget/cost_of.h"

#include "planner/budget/goodput.h"

#include <cmath>
#include <optional>

namespace fabricast {

namespace {

constexpr double kMtok = 1e6;
/// Beyond this a run does not get on: its times would no longer be numbers.
constexpr double kLeastGoodput = 1e-9;

/// Wall time of a number of tokens, over the interval of the step and of the goodput.
Headline<Seconds> wallOf(double tokens,
                         double tokensPerStep,
                         const CostedStep& step,
                         const Headline<double>& share) {
    const double steps = tokens / tokensPerStep;
    return {.value = step.step.value * (steps / share.value),
            .lo = step.step.lo * (steps / share.hi),
            .hi = step.step.hi * (steps / share.lo),
            .evidence = step.step.evidence};
}

Headline<Seconds> times(const Headline<Seconds>& time, double factor) {
    return {time.value * factor, time.lo * factor, time.hi * factor, time.evidence};
}

std::optional<Headline<Usd>> priceOf(const Headline<Seconds>& gpuTime, const GpuHour& hour) {
    if (!hour.price) {
        return std::nullopt;
    }
    return Headline<Usd>{*hour.price * gpuTime.value,
                         *hour.price * gpuTime.lo,
                         *hour.price * gpuTime.hi,
                         gpuTime.evidence};
}

std::optional<Headline<Joules>> energyOf(const Headline<Seconds>& gpuTime, const RunPower& power) {
    if (!power.perGpu) {
        return std::nullopt;
    }
    return Headline<Joules>{power.perGpu->value * gpuTime.value,
                            power.perGpu->lo * gpuTime.lo,
                            power.perGpu->hi * gpuTime.hi,
                            gpuTime.evidence};
}

RunTotals totalsOf(const Headline<Seconds>& wall, double gpus, const RunCost& cost) {
    RunTotals run{.wall = wall, .gpuTime = times(wall, gpus)};
    run.price = priceOf(run.gpuTime, cost.gpuHour);
    run.energy = energyOf(run.gpuTime, cost.power);
    run.failures = wall.value / cost.goodput.mtbf;
    return run;
}

}  // namespace

CostedStep costedStep(const Scenario& scenario, const StepEstimate& step) {
    return {step.step, busyShare(step.parts), checkpointBytes(scenario)};
}

RunCost costOf(const Scenario& scenario, const CostedStep& step, const BudgetFacts& facts) {
    const std::int64_t gpus = scenario.layout.world();
    RunCost cost;
    cost.goodput = goodputOf({gpus, step.checkpoint, step.step.value}, scenario.cluster, facts);
    cost.power = runPower(scenario.cluster, facts.site.power, step.busy);
    cost.gpuHour = gpuHour(scenario.cluster.node.gpu.name, cost.power, facts);
    const double tokensPerStep = static_cast<double>(scenario.workload.globalBatch) *
                                 static_cast<double>(scenario.workload.sequence);
    cost.tokensPerSecond = tokensPerStep / step.step.value.count();
    if (cost.goodput.share.lo < kLeastGoodput) {
        return cost;
    }
    const auto ranks = static_cast<double>(gpus);
    const Headline<Seconds> mtok =
        times(wallOf(kMtok, tokensPerStep, step, cost.goodput.share), ranks);
    cost.perMtok = priceOf(mtok, cost.gpuHour);
    cost.energyPerMtok = energyOf(mtok, cost.power);
    if (facts.length) {
        const auto tokens = static_cast<double>(facts.length->tokens(scenario.workload).count());
        cost.run = totalsOf(wallOf(tokens, tokensPerStep, step, cost.goodput.share), ranks, cost);
    }
    return cost;
}

std::optional<double> planValue(PlanObjective objective,
                                const Plan& plan,
                                const BudgetFacts& facts) {
    const auto cost = [&] {
        return costOf(plan.scenario, costedStep(plan.scenario, plan.step), facts);
    };
    switch (objective) {
        case PlanObjective::Throughput:
            return 1.0 / plan.step.tokensPerSecond;
        case PlanObjective::Memory:
            return static_cast<double>(plan.memory.peak.value.count());
        case PlanObjective::Gpus:
            return static_cast<double>(plan.scenario.layout.world());
        case PlanObjective::Cost:
            if (const auto price = cost().perMtok) {
                return price->value.count();
            }
            break;
        case PlanObjective::Energy:
            if (const auto energy = cost().energyPerMtok) {
                return energy->value.count();
            }
            break;
    }
    return std::nullopt;
}

CostBasis costBasis(const Scenario& scenario, std::int64_t gpus, const BudgetFacts& facts) {
    CostBasis basis = costBasis(scenario.cluster, gpus, facts);
    if (facts.length) {
        basis.tokens = facts.length->tokens(scenario.workload);
    }
    return basis;
}

PlanReport withCosts(PlanReport report, const BudgetFacts& facts) {
    const ClusterSpec& cluster = report.question.cluster;
    report.basis = costBasis(report.question, cluster.gpus(), facts);
    for (std::vector<Plan>* plans : {&report.plans, &report.pareto}) {
        for (Plan& plan : *plans) {
            plan.cost = costOf(plan.scenario, costedStep(plan.scenario, plan.step), facts);
        }
    }
    return report;
}

}  // namespace fabricast
