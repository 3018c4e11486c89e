#pragma once
#include "machine/calibration.h"
#include "planner/measured/measurements.h"
#include "planner/report/table.h"

#include <cstddef>
#include <string>
#include <vector>

namespace fabricast {

/// Points of one kind together: "gemm bf16", "all_reduce ranks=8 nodes=1".
struct MeasuredKind {
    std::string name;
    std::size_t points = 0;
    std::size_t samples = 0;
    std::size_t refused = 0;  ///< points that the machine cannot measure
    std::size_t wrong = 0;    ///< points whose results were wrong
    double best = 0.0;        ///< the best rate, or the least time or size; 0: nothing was measured
    std::string unit;         ///< of it
    double spread = 0.0;      ///< typical distance of a point's samples from their median
    std::size_t timed = 0;    ///< points that have a spread
};
std::vector<MeasuredKind> measuredKinds(const MergedMeasurements& record);

/// What a record holds, a row for each kind of point: points, samples, the best value, and the
/// spread.
Table measuredTable(const MergedMeasurements& record);

/// The command that measures what is asked for and fits it; with a record that is there, it goes
/// on where that ends. What has its usual value is left out.
///     measureCommand({.out = "run.jsonl"}, {})   // "fabricast calibrate --out run.jsonl"
std::string measureCommand(const MeasureAsk& ask, const FitAsk& fit);

}  // namespace fabricast
