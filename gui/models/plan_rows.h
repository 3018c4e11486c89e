#pragma once
#include "planner/base/result.h"
#include "planner/report/table.h"
#include "planner/result/plan_report.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// A row per plan in the words of `fabricast plan`; costs that are still to come are left out. Of
/// plans that do not fit, what they need.
Table planRows(const PlanReport& report, const std::vector<Plan>& plans);

/// What a list of plans is: the best of how many, what comes nearest where none fits, or why there
/// is none.
std::string planListNote(const PlanReport* report,
                         std::size_t best,
                         const std::optional<Error>& error);

}  // namespace fabricast
