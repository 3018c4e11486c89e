#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/oom_answer.h"
#include "study/question.h"
#include "study/workbench.h"

#include <vector>

namespace fabricast {

/// Two peaks within this may be one run's. A judgement, and no measured error: near to what nine in
/// ten published messages have in no tensor, 14.5 % of the GPU's memory (docs/memory.md).
inline constexpr double kNearlySame = 0.15;

/// Of a run that took more than its forecast ever would: other questions whose forecast comes near
/// to what it took, the nearest first; a larger micro-batch, longer sequences, no recomputation.
Result<std::vector<OomGuess>> guessesFor(const Question& question,
                                         const Scenario& scenario,
                                         Bytes needed,
                                         const Workbench& bench,
                                         const Watch& watch);

}  // namespace fabricast
