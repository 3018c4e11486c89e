#pragma once
#include "planner/base/units.h"

#include <string>

namespace fabricast {

/// Three digits of a time that may be a millisecond or a year: "7.34 ms", "12.8 s", "18.4 min",
/// "3.09 h", "264 d", and "never".
std::string durationText(Seconds time);

}  // namespace fabricast
