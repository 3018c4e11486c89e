#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/check_report.h"
#include "study/changes.h"
#include "study/question.h"
#include "study/workbench.h"

#include <cstddef>
#include <vector>

namespace fabricast {

/// What a check is compared with: the scenario as it was, and its forecast.
struct CheckBaseline {
    const Question& question;
    const ComparedSide& side;
};

/// The changes of the catalogue and what undoes a change since the baseline, else pairs of them,
/// after which no requirement of a failed check fails; those of the least effort first. What adds
/// hardware adds the least that is enough. `baseline` may be null.
Result<std::vector<CheckFix>> checkFixes(const Question& question,
                                         const CheckReport& report,
                                         const CheckBaseline* baseline,
                                         std::size_t most,
                                         const Workbench& bench,
                                         const Watch& watch);

/// What a question says otherwise than it did before, as changes that undo it: each key alone, the
/// counts of ranks together, and last everything where that is more than one of them.
std::vector<Change> undoneChanges(const Question& now, const Question& before);

}  // namespace fabricast
