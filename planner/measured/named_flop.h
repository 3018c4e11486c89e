#pragma once
#include "planner/measured/measurements.h"

namespace fabricast {

/// The operations of a product or of attention, from the sizes in the point's name; 0 of a point
/// that is neither, or whose name lacks one of them.
Result<double> namedFlop(const RecordedPoint& point);

}  // namespace fabricast
