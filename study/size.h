#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/size_answer.h"
#include "study/question.h"
#include "study/size_ask.h"
#include "study/workbench.h"

#include <span>

namespace fabricast {

/// The least hardware on which every job reaches the targets, what is next to it, and what it
/// costs to have. Each cluster of an answer was searched: no number of one follows from another's.
///     FABRICAST_ASSIGN(const SizeAnswer answer, size({&question, 1}, ask, bench, watch));
Result<SizeAnswer> size(std::span<const Question> jobs,
                        const SizeAsk& ask,
                        const Workbench& bench,
                        const Watch& watch);

/// What every answer about sizes needs: a batch that does not follow from the GPUs, and tokens
/// where targets are of runs.
Result<void> checkSizeJobs(std::span<const Question> jobs, const SizeAsk& ask);

}  // namespace fabricast
