#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/estimate/estimate_step.h"
#include "planner/result/advice.h"
#include "study/advice_task.h"

#include <cstddef>
#include <limits>

namespace fabricast {

/// What plans are found with.
struct PlanBench {
    const TimingProfiles& timing;
    std::size_t threads = 1;
    const Watch& watch;
    double slowest =
        std::numeric_limits<double>::infinity();  ///< seconds of a step that are of use
};

/// Puts the best layout of one way to train into its step, priced; where none fits the nearest
/// miss, and where there is none at all why.
Result<void> planFamily(const AdviceTask& task,
                        const AdviceFamily& family,
                        const PlanBench& bench,
                        AdviceStep& step);

}  // namespace fabricast
