#pragma once
#include "planner/result/plan_report.h"
#include "study/question.h"

#include <string>
#include <vector>

namespace fabricast {

/// A layout as --layout takes it, with the keys that the stack would fill in differently.
std::string typedLayout(const Scenario& scenario);
/// "megatron tp=8,pp=2,recompute=full".
std::string typedPlan(const Plan& plan);

/// What holds a layout in a search, as --fix takes it: also the degrees that are 1 and what it does
/// without.
Result<std::vector<Edit>> heldLayoutEdits(const Scenario& scenario);

/// The question of a search, asked about one of its plans: what to ask `explain` next. `asked` is
/// what the search was asked.
Result<Question> questionAbout(const Question& search, const Scenario& asked, const Scenario& plan);

}  // namespace fabricast
