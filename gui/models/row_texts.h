#pragma once
#include "gui/charts/scatter.h"
#include "planner/base/result.h"
#include "planner/profiles/profile_store.h"
#include "planner/report/table.h"
#include "planner/result/explanation.h"
#include "planner/result/plan_report.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// How far each headline number can be trusted.
Table trustRows(const Explanation& explanation);

/// What was assumed and what was measured for an answer, and by the search that found it, a line
/// each in words of the window.
std::vector<std::string> assumptionLines(const Explanation& explanation,
                                         const PlanReport* search = nullptr);

/// Every number of the hardware behind an answer, and where it is from.
Table sourceRows(const ProfileStore& profiles, const Scenario& scenario);

/// A row per plan in the words of `fabricast plan`; costs that are still to come are left out. Of
/// plans that do not fit, what they need.
Table planRows(const PlanReport& report, const std::vector<Plan>& plans);

/// What a list of plans is: the best of how many, what comes nearest where none fits, or why there
/// is none.
std::string planListNote(const PlanReport* report,
                         std::size_t best,
                         const std::optional<Error>& error);

/// One number of a plan that plans are chosen by.
struct PlanMetric {
    const char* key;  ///< "tokens_per_s"
    Axis axis;
    BetterEnd better = BetterEnd::High;
    std::optional<double> (*of)(const Plan& plan) = nullptr;
};

/// The one list of them.
std::span<const PlanMetric> planMetrics();

/// Two metrics of all plans, a point each, with the plan's place as its id. Plans that do not have
/// both numbers are left out. Groups are the plans' stacks.
ScatterValues planScatter(const std::vector<Plan>& plans, const PlanMetric& x, const PlanMetric& y);

}  // namespace fabricast
