#pragma once
#include "planner/base/result.h"
#include "planner/result/explanation.h"
#include "planner/result/lint_report.h"
#include "planner/text/json_document.h"

#include <string>

namespace fabricast {

/// What a launch file says as a scenario, for people: each value and where it stands, what the run
/// takes, and what will be regretted. `root` is the document, `forecast` of its memory.
std::string importText(const JsonValue& root,
                       const Result<Explanation>& forecast,
                       const LintReport& regrets);

}  // namespace fabricast
