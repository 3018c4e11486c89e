#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/oom_answer.h"
#include "study/question.h"
#include "study/workbench.h"

#include <vector>

namespace fabricast {

/// Adds segments that grow to the ways out of a run that had enough memory, but in pieces: then it
/// takes what the message counts without them. `question` is of the run that failed.
Result<void> addGrowingSegments(const Question& question,
                                const OomAnswer& answer,
                                const Workbench& bench,
                                const Watch& watch,
                                std::vector<Rejection>& rejections);

}  // namespace fabricast
