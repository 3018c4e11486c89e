#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_targets.h"
#include "planner/result/explanation.h"
#include "study/question.h"
#include "study/workbench.h"

#include <optional>

namespace fabricast {

/// How often the run of a question saves, in steps, where it says how: at its own interval, or the
/// best one. Where the framework's files can only wait for storage, or have no copies in memory, it
/// is the best interval of that. Nothing where it does not say, or nothing fails and no interval is
/// said.
Result<std::optional<SavedStates>> savedStates(const Question& question,
                                               const Explanation& forecast,
                                               Saving most,
                                               const Workbench& bench);

}  // namespace fabricast
