#include "planner/budget/price_plans.h"

#include "planner/budget/cost_of.h"
#include "planner/budget/gpu_hour.h"

namespace fabricast {

PlanReport withCosts(PlanReport report, const BudgetFacts& facts) {
    const ClusterSpec& cluster = report.question.cluster;
    report.basis = costBasis(cluster.node.gpu.name, cluster.gpus(), facts);
    for (std::vector<Plan>* plans : {&report.plans, &report.pareto}) {
        for (Plan& plan : *plans) {
            plan.cost = costOf(plan.scenario, costedStep(plan.scenario, plan.step), facts);
        }
    }
    return report;
}

}  // namespace fabricast
