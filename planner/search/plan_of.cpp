#include "planner/search/plan_of.h"

#include <algorithm>
#include <utility>

namespace fabricast {

std::vector<Plan> paretoOf(std::vector<Plan> plans) {
    std::stable_sort(plans.begin(), plans.end(), [](const Plan& a, const Plan& b) {
        return a.step.step.value < b.step.step.value;
    });
    std::vector<Plan> front;
    for (Plan& plan : plans) {
        const bool beaten = std::any_of(front.begin(), front.end(), [&plan](const Plan& faster) {
            return faster.memory.peak.value <= plan.memory.peak.value &&
                   faster.scenario.layout.world() <= plan.scenario.layout.world();
        });
        if (!beaten) {
            front.push_back(std::move(plan));
        }
    }
    return front;
}

}  // namespace fabricast
