#pragma once
#include "planner/report/finding_reports.h"
#include "planner/result/check_report.h"

#include <vector>

namespace fabricast {

/// All that is to be reported, worst first: scenarios with errors, what fails, what nobody can
/// tell, warnings.
std::vector<ReportedFinding> findingsOf(const std::vector<CheckOutcome>& outcomes);

}  // namespace fabricast
