#pragma once
#include "planner/report/table.h"
#include "planner/result/plan_report.h"

#include <string>
#include <vector>

namespace fabricast {

/// A row per plan, in their order.
Table planTable(const PlanReport& report, const std::vector<Plan>& plans);

/// Some of the plans leave GPUs of the question idle.
bool usesParts(const PlanReport& report, const std::vector<Plan>& plans);

/// "79.1": in GiB, as in the column of that name.
std::string gibText(Bytes size);

}  // namespace fabricast
