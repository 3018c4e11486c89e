#pragma once
#include "planner/measured/measurements.h"

#include <span>
#include <string>

namespace fabricast {

/// The kinds of points that no number of a profile is made of, a line each with the reason; empty
/// where there are none. What could have been fitted, and was not, is not among them.
std::string shownOnlyText(std::span<const RecordedPoint> points);

}  // namespace fabricast
