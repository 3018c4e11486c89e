#pragma once
#include "planner/report/launch_report.h"
#include "study/question.h"
#include "study/workbench.h"

namespace fabricast {

/// An error where `lint` finds one in the files: such a run ends at its start.
Result<void> checkStarts(const Emitted& emitted);

/// Reads the files of a plan as `import` does, for the same model and cluster, and compares what
/// they start with the plan; `lint` looks at them too. What the script has, they cannot say.
///     FABRICAST_ASSIGN(const EmittedCheck check, checkEmitted(emitted, question, bench));
EmittedCheck checkEmitted(const Emitted& emitted, const Question& question, const Workbench& bench);

}  // namespace fabricast
