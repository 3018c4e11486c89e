#pragma once
#include "probes/record/answer.h"
#include "probes/record/point.h"

#include <string>
#include <vector>

namespace fabricast::probe {

/// The points of "quick" (some minutes) or "full" (an hour), those that say most first, none twice.
Answer<std::vector<Point>> cudaSuite(const std::string& name);

}  // namespace fabricast::probe
