#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/oom_answer.h"
#include "study/question.h"
#include "study/workbench.h"

#include <optional>
#include <string>

namespace fabricast {

struct OomAsk {
    std::string text;                    ///< with the message in it, such as the log of a job
    std::string source;                  ///< how errors name it
    std::optional<Question> question{};  ///< the run, where it is known
};

/// What held the memory when a run failed, and what to change. Without a question it is what the
/// message alone tells.
///     FABRICAST_ASSIGN(const OomAnswer answer, explainOom({text, "job.log", run}, bench, {}));
Result<OomAnswer> explainOom(const OomAsk& ask, const Workbench& bench, const Watch& watch);

}  // namespace fabricast
