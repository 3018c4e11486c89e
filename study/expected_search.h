#pragma once
#include "study/question.h"
#include "study/workbench.h"

namespace fabricast {

/// Seconds of one core of a small machine for the best plan of a question, by the number of layouts
/// that its stacks take: within a factor of three of most searches. What cannot be asked takes
/// hardly any time.
double expectedSearch(const Question& question, const Workbench& bench);

}  // namespace fabricast
