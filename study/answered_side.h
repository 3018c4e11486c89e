#pragma once
#include "planner/base/result.h"
#include "planner/result/comparison.h"
#include "study/question.h"
#include "study/workbench.h"

#include <string>

namespace fabricast {

/// All that is known of one layout, to be put beside others: its memory, and where the stack has a
/// time forecast its step and cost. `name` and `source` are what the side is called.
Result<ComparedSide> answeredSide(const Question& question,
                                  const Workbench& bench,
                                  std::string name,
                                  std::string source);

}  // namespace fabricast
