#pragma once
#include "planner/report/report.h"
#include "planner/report/table.h"
#include "planner/result/plan_report.h"
#include "planner/text/json_document.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// "fabricast.plan/1"; `seconds` is what answering took.
std::string planJson(const PlanReport& report,
                     double seconds,
                     const JsonValue* asked,
                     std::string_view version);

/// How many of the plans alike are other spellings in its own stack; the rest are of other stacks.
inline std::size_t spellingsOf(const Plan& plan) {
    return static_cast<std::size_t>(std::ranges::count_if(plan.alike, [&plan](const Plan& other) {
        return other.scenario.stack == plan.scenario.stack;
    }));
}

/// A row per plan, in their order.
Table planTable(const PlanReport& report, const std::vector<Plan>& plans);

/// Some of the plans leave GPUs of the question idle.
bool usesParts(const PlanReport& report, const std::vector<Plan>& plans);

/// "79.1": in GiB, as in the column of that name.
std::string gibText(Bytes size);

/// The best layouts for people: a row each, why the second is not the first, and where it was asked
/// what would have to change.
Report planReport(const PlanReport& report);
std::string planMarkdown(const PlanReport& report);
/// A row per plan, seconds and bytes.
std::string planCsv(const PlanReport& report);

/// "; 184 layouts that may fit are not modelled: ..." with the most frequent reason, where what is
/// modelled does not fit. Else empty.
std::string unmodelledText(const PlanReport& report);

/// How plans of a report stand below each other: "fastest first". Rows that are not equally sure to
/// fit stand in the order of that, unless those that may fit are as good.
std::string planOrderText(const PlanReport& report, std::span<const Plan> plans);

/// "dp=8,tp=8,shard=zero1,recompute=full": without keys that do not apply to the model.
std::string planLayoutText(const Scenario& scenario);

}  // namespace fabricast
