#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/estimate/estimate_step.h"
#include "planner/result/advice.h"
#include "study/advice_task.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace fabricast {

/// The answer of each way to train, and which of them is advised.
struct EvaluatedOptions {
    std::vector<AdviceStep> options;
    std::optional<std::size_t> recommended;
    bool stopped = false;  ///< the ways behind these were not evaluated
    bool isCut = false;    ///< ways were not looked at, as those before took too long
};

/// Every family's best layout that surely fits, or else may; then what is advised and why the
/// others are not. When it is stopped, those that are evaluated are the answer.
Result<EvaluatedOptions> evaluateOptions(const AdviceTask& task,
                                         const TimingProfiles& timing,
                                         std::size_t threads,
                                         const Watch& watch = {});

}  // namespace fabricast
