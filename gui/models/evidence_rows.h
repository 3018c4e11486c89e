#pragma once
#include "planner/profiles/profile_store.h"
#include "planner/report/table.h"
#include "planner/result/explanation.h"

#include <string>
#include <vector>

namespace fabricast {

/// How far each headline number can be trusted.
Table trustRows(const Explanation& explanation);

/// What was assumed and what was measured for an answer, a line each.
std::vector<std::string> assumptionLines(const Explanation& explanation);

/// Every number of the hardware behind an answer, and where it is from.
Table sourceRows(const ProfileStore& profiles, const Scenario& scenario);

}  // namespace fabricast
