#pragma once
#include "planner/result/plan_report.h"
#include "study/question.h"

#include <string>

namespace fabricast {

/// A layout as --layout takes it, with the keys that the stack would fill in differently.
std::string typedLayout(const Scenario& scenario);
/// "megatron tp=8,pp=2,recompute=full".
std::string typedPlan(const Plan& plan);

/// The question of a search, asked about one of its plans: what to ask `explain` next. `asked` is
/// what the search was asked.
Result<Question> questionAbout(const Question& search, const Scenario& asked, const Scenario& plan);

}  // namespace fabricast
