#pragma once
#include "planner/result/plan_report.h"

#include <cstddef>
#include <vector>

namespace fabricast {

/// What would make a plan fit that does not, out of what its stack allows.
void addFixes(Plan& plan);

/// Plans that no other beats both in time and in memory to spare; fastest first.
std::vector<std::size_t> paretoOf(const std::vector<Plan>& plans);

}  // namespace fabricast
