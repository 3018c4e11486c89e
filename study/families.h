#pragma once
#include "planner/base/result.h"
#include "study/advice_task.h"
#include "study/question.h"
#include "study/workbench.h"

#include <string>
#include <vector>

namespace fabricast {

/// What advice starts from, before it is priced.
struct LoadedAdvice {
    Scenario base;
    std::vector<AdviceFamily> families;  ///< simplest first
    std::vector<std::string> assumed;
};

/// The ways to train: each is a change of the question, with its stack's settings and what the
/// question says over them. Keys of a layout that the question holds are held in every one.
Result<LoadedAdvice> loadAdvice(const Question& question, const Workbench& bench);

}  // namespace fabricast
