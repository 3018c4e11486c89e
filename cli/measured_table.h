#pragma once
#include "planner/io/measurements.h"
#include "planner/report/table.h"

namespace fabricast {

/// What a record holds, a row for each kind of point: how many, how often, the best of them (a
/// rate; of what has none the least time or size), and how far the samples of a point usually lie
/// from their median.
Table measuredTable(const MergedMeasurements& record);

}  // namespace fabricast
