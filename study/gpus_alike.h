#pragma once
#include "planner/base/units.h"
#include "study/workbench.h"

#include <string>
#include <vector>

namespace fabricast {

/// The GPUs whose driver reports this memory, the nearest first and a few at most.
std::vector<std::string> gpusAlike(Bytes memory, const Workbench& bench);

}  // namespace fabricast
