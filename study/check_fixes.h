#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/check_report.h"
#include "study/question.h"
#include "study/workbench.h"

#include <cstddef>
#include <vector>

namespace fabricast {

/// The changes of the catalogue, else pairs of them, after which no requirement of a failed check
/// fails; those of the least effort first. `baseline` is the side that the requirements are
/// compared with; may be null.
Result<std::vector<CheckFix>> checkFixes(const Question& question,
                                         const CheckReport& report,
                                         const ComparedSide* baseline,
                                         std::size_t most,
                                         const Workbench& bench,
                                         const Watch& watch);

}  // namespace fabricast
