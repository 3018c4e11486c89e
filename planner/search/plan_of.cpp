#include "planner/search/plan_of.h"

#include "planner/memory/estimate_memory.h"
#include "planner/stack/stack.h"

#include <algorithm>
#include <utility>

namespace fabricast {

void addFixes(Plan& plan) {
    const auto stack = findStack(plan.scenario.stack);
    if (!stack) {
        return;
    }
    const auto allowed = [&stack](const Scenario& changed) {
        return (*stack)->check(changed).has_value();
    };
    if (Result<MemoryBreakdown> memory = estimateMemory(plan.scenario, allowed)) {
        plan.memory = *std::move(memory);
    }
}

std::vector<std::size_t> paretoOf(const std::vector<Plan>& plans) {
    std::vector<std::size_t> order(plans.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::stable_sort(order.begin(), order.end(), [&plans](std::size_t a, std::size_t b) {
        return plans[a].step.step.value < plans[b].step.step.value;
    });
    std::vector<std::size_t> front;
    for (const std::size_t i : order) {
        if (front.empty() || plans[i].memory.peak.value < plans[front.back()].memory.peak.value) {
            front.push_back(i);
        }
    }
    return front;
}

}  // namespace fabricast
