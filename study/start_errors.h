#pragma once
#include "planner/base/result.h"
#include "planner/lint/lint.h"
#include "study/question.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A launch file and those that it names, which are looked for beside it: as `lint` judges them.
Result<std::vector<LintFile>> lintedFiles(std::string_view text,
                                          const std::string& source,
                                          const Folders& folders,
                                          const GivenFiles& given);

/// By what a run ends before it needs any memory, in the files alone: notes of a forecast of them.
///     "lint: error HF07 at acc.yaml:7:3: recomputed twice (Trainer ends at the start.)"
std::vector<std::string> startErrors(std::string_view text,
                                     const std::string& source,
                                     const Folders& folders,
                                     const GivenFiles& given);

}  // namespace fabricast
