#pragma once
#include "planner/report/report.h"
#include "planner/result/plan_fix.h"

#include <string>

namespace fabricast {

/// How far the best plan is from what is wanted, and what would change it: a row per change, in the
/// groups free, workload and buy.
Report fixesReport(const PlanFixes& fixes);
std::string fixesText(const PlanFixes& fixes);
std::string fixesMarkdown(const PlanFixes& fixes);

}  // namespace fabricast
