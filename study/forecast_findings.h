#pragma once
#include "planner/base/watch.h"
#include "planner/launch/opened_file.h"
#include "planner/result/explanation.h"
#include "planner/result/lint_report.h"
#include "study/own_rule.h"
#include "study/question.h"
#include "study/workbench.h"

#include <span>
#include <vector>

namespace fabricast {

/// What a forecast finds in a launch file: FC01 to FC05.
std::span<const OwnRule> forecastRules();

/// What of this forecast will be regretted, at the lines that say it, with a fix in the keys of the
/// files where they have one.
std::vector<LintFinding> forecastFindings(const Question& question,
                                          const Explanation& forecast,
                                          std::span<const OpenedFile> files,
                                          const Workbench& bench,
                                          const Watch& watch);

}  // namespace fabricast
