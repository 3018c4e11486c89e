#include "planner/budget/plan_value.h"

#include "planner/budget/cost_of.h"

namespace fabricast {

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

}  // namespace fabricast
