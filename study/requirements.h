#pragma once
#include "planner/base/result.h"
#include "planner/result/check_report.h"
#include "planner/result/comparison.h"
#include "planner/result/requirement.h"
#include "study/question.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What a forecast says of a requirement: it holds or fails where the whole interval does, and
/// in between nobody can tell. Compared with a baseline, the forecasts themselves decide, for their
/// errors are the same errors. `baseline` may be null.
CheckedRequirement judged(const Requirement& requirement,
                          const ComparedSide& side,
                          const ComparedSide* baseline);

/// The forecast of a metric, where there is one.
std::optional<Headline<double>> metricOf(const ComparedSide& side, Metric metric);

/// How many times a forecast would have to be better for the requirement to hold: 1 where it does.
double shortfallOf(const CheckedRequirement& checked);

/// A requirement as people write it; `where` is what an error points at.
///     readRequirement("mem_peak_frac <= 92% : warn", "run.json:12:5")
Result<Requirement> readRequirement(std::string_view text, const std::string& where);

/// Those in a question's list "require", in its order, each with its place in the file.
Result<std::vector<Requirement>> requirementsIn(const Question& question);

/// Those of `before` that none of `now` asks for in full: a looser bound, another place in the
/// interval, a warning, or nothing.
std::vector<WeakerRequirement> weakerIn(const std::vector<Requirement>& now,
                                        const std::vector<Requirement>& before);

/// What no change may make worse than a baseline by more than a share, "2%": speed and memory.
Result<std::vector<Requirement>> noRegression(const std::string& share, const std::string& where);

}  // namespace fabricast
