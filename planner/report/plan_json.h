#pragma once
#include "planner/result/plan_report.h"
#include "planner/text/json_document.h"

#include <string>
#include <string_view>

namespace fabricast {

/// "fabricast.plan/1"; `seconds` is what answering took.
std::string planJson(const PlanReport& report,
                     double seconds,
                     const JsonValue* asked,
                     std::string_view version);

}  // namespace fabricast
