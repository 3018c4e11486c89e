#pragma once
#include "planner/base/result.h"
#include "planner/result/advice.h"
#include "planner/result/explanation.h"
#include "planner/result/oom_answer.h"
#include "planner/result/plan_report.h"
#include "study/question.h"
#include "study/workbench.h"

#include <optional>
#include <string>

namespace fabricast {

// The last line of an answer for people: what to type next. Empty where there is nothing to ask.

/// "\nnext: fabricast explain run.json -n 4 --why activations\n".
std::string nextLine(const char* command, const Question& question, const std::string& more = {});

/// Explains the best plan. Where what is modelled does not fit, what does has its memory forecast
/// all the same. Where the stack's files cannot say what is trained, also what can be written.
Result<std::string> nextAfterPlans(const Question& question,
                                   const PlanReport& report,
                                   const Workbench& bench);

/// Everything about the layout that is advised, or that costs least where all cost too much; where
/// nothing fits, those that come nearest.
Result<std::string> nextAfterAdvice(const Question& question,
                                    const Advice& advice,
                                    const Workbench& bench);

/// The faster change, or the formula of what takes most memory; of an answer about cost what it
/// lacks.
Result<std::string> nextAfterExplanation(const Explanation& answer,
                                         const Question& question,
                                         bool isOfCost);

/// The way out as a whole command; where there is none, the run's own memory. `message` is the file
/// that has the message.
Result<std::string> nextAfterOom(const OomAnswer& answer,
                                 const std::optional<Question>& run,
                                 const std::string& message);

}  // namespace fabricast
