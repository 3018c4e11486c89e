#pragma once
#include "planner/result/plan_report.h"

#include <vector>

namespace fabricast {

/// Plans that no other beats in step time, memory to spare and GPUs together; fastest first.
std::vector<Plan> paretoOf(std::vector<Plan> plans);

}  // namespace fabricast
