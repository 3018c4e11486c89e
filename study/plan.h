#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/plan_report.h"
#include "study/question.h"
#include "study/workbench.h"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace fabricast {

/// What is asked of a search beyond the question's own "search" (search_request.h).
struct PlanAsk {
    std::vector<PlanTarget> targets;  ///< where one is missed: what would reach it; empty: its own
    std::size_t simulate = 0;  ///< how many of the best to simulate, and put in order by that
    bool pareto = false;       ///< slower plans too, that need less memory or fewer GPUs
    bool sensitivity = false;  ///< what would make the best plan faster
    /// Called with the plans found so far, best first, each time there is one more.
    std::function<void(std::span<const Plan>)> onPlan{};
};

/// The best layouts. Where nothing fits or a target is missed, also what would have to change.
///     FABRICAST_ASSIGN(const PlanReport report, plan(question, {}, bench, watch));
Result<PlanReport> plan(const Question& question,
                        const PlanAsk& ask,
                        const Workbench& bench,
                        const Watch& watch);

/// A search that found no layout to look at is refused, with the first reason why.
Result<void> checkAnyLayout(const PlanReport& report,
                            const Question& question,
                            const Workbench& bench);

/// Why there is no plan, where a table has no place to say it.
Error noTable(const PlanReport& report);

}  // namespace fabricast
