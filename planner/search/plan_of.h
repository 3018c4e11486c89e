#pragma once
#include "planner/result/plan_report.h"

#include <vector>

namespace fabricast {

/// What would make a plan fit that does not, out of what its stack allows.
void addFixes(Plan& plan);

/// Plans that no other beats in step time, memory to spare and GPUs together; fastest first.
std::vector<Plan> paretoOf(std::vector<Plan> plans);

}  // namespace fabricast
