#pragma once
#include "planner/base/result.h"
#include "planner/result/lint_report.h"
#include "study/emit.h"
#include "study/question.h"
#include "study/workbench.h"

#include <string>
#include <vector>

namespace fabricast {

/// What launch files showed when they were read back.
struct EmittedCheck {
    std::string notRead{};              ///< why they could not be
    std::vector<std::string> differs;   ///< "layout.recompute: full in the plan, none in the files"
    std::vector<std::string> filledIn;  ///< "workload.sequence=4096", which the files do not say
    std::vector<LintFinding> findings;
};

/// Reads the files of a plan as `import` does, for the same model and cluster, and compares what
/// they start with the plan; `lint` looks at them too. What the script has, they cannot say.
///     FABRICAST_ASSIGN(const EmittedCheck check, checkEmitted(emitted, question, bench));
EmittedCheck checkEmitted(const Emitted& emitted, const Question& question, const Workbench& bench);

}  // namespace fabricast
