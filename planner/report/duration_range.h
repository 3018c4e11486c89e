#pragma once
#include "planner/base/units.h"

#include <string>

namespace fabricast {

/// Two times in the unit that `durationText` has for a third one: "0.98 – 1.04 s". Empty where both
/// read the same.
std::string durationRange(Seconds low, Seconds high, Seconds like);

}  // namespace fabricast
