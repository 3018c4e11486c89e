#pragma once
#include "planner/result/check_report.h"
#include "planner/result/comparison.h"
#include "planner/result/requirement.h"

#include <optional>

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

}  // namespace fabricast
