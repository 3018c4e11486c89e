#pragma once
#include "planner/report/report.h"
#include "planner/report/table.h"
#include "planner/result/comparison.h"

#include <string>
#include <string_view>

namespace fabricast {

/// What of a comparison is shown.
struct ComparisonView {
    double leastChange = 0.0;  ///< relative; what changes less is left out
    bool all = false;          ///< nothing is left out
};

/// A comparison for people: what was asked differently, which numbers came out differently, and the
/// parts that make the difference, which sum to it as printed.
Report comparisonReport(const Comparison& comparison, const ComparisonView& view);
std::string comparisonText(const Comparison& comparison, const ComparisonView& view);
std::string comparisonMarkdown(const Comparison& comparison, const ComparisonView& view);
/// A row per input, number and part, and a column per side; every number in seconds, bytes and
/// shares.
std::string comparisonCsv(const Comparison& comparison);

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
