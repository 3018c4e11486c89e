#pragma once
#include "gui/charts/scatter.h"
#include "planner/result/plan_report.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

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
