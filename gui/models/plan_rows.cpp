#include "gui/models/plan_rows.h"

#include "planner/report/plan_table.h"
#include "planner/result/comparison_band.h"

#include <algorithm>
#include <cmath>

namespace fabricast {
namespace {

std::string nothingFits(const PlanReport& report) {
    const Plan& nearest = report.misses.front();
    const Bytes over = nearest.memory.peak.value - nearest.memory.room();
    return "Nothing fits. Nearest first: the first one needs " + gibText(over) +
           " GiB more than a GPU has. \"Explain\" says what would help.";
}

}  // namespace

Table planRows(const PlanReport& report, const std::vector<Plan>& plans) {
    const bool allPriced =
        std::ranges::all_of(plans, [](const Plan& plan) { return plan.cost.has_value(); });
    if (allPriced) {
        return planTable(report, plans);
    }
    std::vector<Plan> unpriced = plans;
    for (Plan& plan : unpriced) {
        plan.cost.reset();
    }
    return planTable(report, unpriced);
}

std::string planListNote(const PlanReport* report, const std::optional<Error>& error) {
    if (error) {
        return error->text();
    }
    if (report == nullptr) {
        return "Searching the best layout …";
    }
    if (!report->plans.empty()) {
        const std::string best = "Best of " + grouped(report->candidates) +
                                 " layouts first. Those within " +
                                 std::to_string(std::lround(100.0 * kComparisonBand)) +
                                 " % of each other cannot be told apart: measure them.";
        return report->candidates > 0 ? best : "The best layouts so far …";
    }
    return report->misses.empty() ? "No layout can be forecast here." : nothingFits(*report);
}

}  // namespace fabricast
