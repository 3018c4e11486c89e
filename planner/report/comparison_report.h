#pragma once
#include "planner/report/report.h"
#include "planner/result/comparison.h"

#include <string>

namespace fabricast {

/// What of a comparison is shown.
struct ComparisonView {
    double leastChange = 0.01;  ///< relative; what changes less is left out
    bool all = false;           ///< nothing is left out
};

/// A comparison for people: what was asked differently, which numbers came out differently, and the
/// parts that make the difference, which sum to it as printed.
Report comparisonReport(const Comparison& comparison, const ComparisonView& view);
std::string comparisonText(const Comparison& comparison, const ComparisonView& view);
std::string comparisonMarkdown(const Comparison& comparison, const ComparisonView& view);
/// A row per input, number and part, and a column per side; every number in seconds, bytes and
/// shares.
std::string comparisonCsv(const Comparison& comparison);

}  // namespace fabricast
