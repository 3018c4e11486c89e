#pragma once
#include "planner/advise/advice_task.h"
#include "planner/base/result.h"
#include "planner/estimate/estimate_step.h"
#include "planner/result/advice.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace fabricast {

/// The answers of one walk, and which step is advised.
struct AdviceWalk {
    std::vector<AdviceStep> steps;
    std::optional<std::size_t> recommended;
};

/// Every family's best layout that surely fits, or else may; then what is advised and why the
/// others are not.
Result<AdviceWalk> walkFamilies(const AdviceTask& task,
                                const TimingProfiles& timing,
                                std::size_t threads);

}  // namespace fabricast
