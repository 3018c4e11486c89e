#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "study/question.h"
#include "study/workbench.h"

#include <string>

namespace fabricast {

/// The text of a new scenario file, with comments, that asks the question. What `explain` refuses
/// is refused; without a stack and a layout, what `plan` refuses; and what could not be read back.
Result<std::string> newScenario(const std::string& path,
                                const Question& question,
                                const Workbench& bench,
                                const Watch& watch);

}  // namespace fabricast
