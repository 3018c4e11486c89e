#pragma once
#include "planner/report/comparison_report.h"
#include "planner/report/table.h"
#include "planner/result/comparison.h"

#include <string>
#include <string_view>

namespace fabricast {

/// A row per key that differs, a column per side.
Table inputTable(const Comparison& comparison);

/// A row per headline number; next to each side its change, absolutely and in percent.
Table numberTable(const Comparison& comparison, const ComparisonView& view);

/// From the baseline's step to the side's, part by part. Changes are printed as differences of
/// printed sums, so that they add up; small parts are joined into one row.
Table timeTable(const Comparison& comparison,
                const SideDifference& difference,
                const ComparisonView& view);
/// The same for the bytes of the most loaded GPU.
Table memoryPartTable(const Comparison& comparison,
                      const SideDifference& difference,
                      const ComparisonView& view);

/// "ms of a step", "s of a million tokens".
std::string timeUnit(const Comparison& comparison, const SideDifference& difference);
/// The part that makes most of the difference, in words; empty where none has its sign.
std::string_view mainPart(const Waterfall& fall);

}  // namespace fabricast
