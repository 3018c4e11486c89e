#pragma once
#include "planner/report/report.h"
#include "planner/result/plan_report.h"

#include <span>
#include <string>

namespace fabricast {

/// The best layouts for people: a row each, why the second is not the first, and where it was asked
/// what would have to change.
Report planReport(const PlanReport& report);
std::string planMarkdown(const PlanReport& report);
/// A row per plan, seconds and bytes.
std::string planCsv(const PlanReport& report);

/// How plans of a report stand below each other: "fastest first". Rows that are not equally sure to
/// fit stand in the order of that, unless those that may fit are as good.
std::string planOrderText(const PlanReport& report, std::span<const Plan> plans);

/// "dp=8,tp=8,shard=zero1,recompute=full": without keys that do not apply to the model.
std::string planLayoutText(const Scenario& scenario);

}  // namespace fabricast
