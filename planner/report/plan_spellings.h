#pragma once
#include "planner/result/plan_report.h"

#include <algorithm>
#include <cstddef>

namespace fabricast {

/// How many of the plans alike are other spellings in its own stack; the rest are of other stacks.
inline std::size_t spellingsOf(const Plan& plan) {
    return static_cast<std::size_t>(std::ranges::count_if(plan.alike, [&plan](const Plan& other) {
        return other.scenario.stack == plan.scenario.stack;
    }));
}

}  // namespace fabricast
