#pragma once
#include "planner/result/plan_report.h"

#include <string>
#include <string_view>

namespace fabricast {

/// "fabricast.plan/1".
std::string planJson(const PlanReport& report, std::string_view version);

}  // namespace fabricast
