#pragma once
#include "planner/io/measurements.h"
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
    std::size_t refused = 0;  ///< that the machine cannot do
    std::size_t wrong = 0;    ///< whose results were wrong
    double best =
        0.0;  ///< the best rate; of what has none the least time or size; 0: nothing was measured
    std::string unit;       ///< of it
    double spread = 0.0;    ///< the usual distance of a point's samples from their median
    std::size_t timed = 0;  ///< points that have a spread
};
std::vector<MeasuredKind> measuredKinds(const MergedMeasurements& record);

/// What a record holds, a row for each kind of point: how many, how often, the best of them (a
/// rate; of what has none the least time or size), and how far the samples of a point usually lie
/// from their median.
Table measuredTable(const MergedMeasurements& record);

}  // namespace fabricast
