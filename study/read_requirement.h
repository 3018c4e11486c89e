#pragma once
#include "planner/base/result.h"
#include "planner/result/requirement.h"
#include "study/question.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A requirement as people write it; `where` is what an error points at.
///     readRequirement("mem_peak_frac <= 92% : warn", "run.json:12:5")
Result<Requirement> readRequirement(std::string_view text, const std::string& where);

/// Those in a question's list "require", in its order, each with its place in the file.
Result<std::vector<Requirement>> requirementsIn(const Question& question);

/// What no change may make worse than a baseline by more than this share: speed and memory.
std::vector<Requirement> noRegression(double share, const std::string& where);

}  // namespace fabricast
