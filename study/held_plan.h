#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/estimate/estimate_step.h"
#include "planner/result/plan_report.h"
#include "planner/search/find_plans.h"

#include <cstdint>
#include <optional>

namespace fabricast {

/// The layout of a plan under another question, and what it took to look at it.
struct HeldPlan {
    std::optional<Plan>
        plan;  ///< nothing where the question has no such layout, or it does not fit
    std::int64_t walked = 0;
};

/// What becomes of a plan where nobody changes its layout: with as many GPUs more or fewer copies,
/// and micro-batches of as many tokens. A search of the other question that is cut short may find
/// worse, so this is looked at first. An error only where it is stopped.
///     FABRICAST_ASSIGN(const HeldPlan held, heldPlan(now, task, timing, watch));
///     report = withHeld(std::move(report), held.plan, options);
Result<HeldPlan> heldPlan(const Plan& now,
                          const SearchTask& task,
                          const TimingProfiles& timing,
                          const Watch& watch);

/// Whether one plan comes before another by the rule of a search: the surer one, and of two that
/// are as sure the faster one, or the one that needs less memory.
bool precedes(const Plan& a, const Plan& b, const SearchOptions& rule);

/// The report with the plan in front where it comes before all that were found; a search that ended
/// by itself knows better.
PlanReport withHeld(PlanReport report, const std::optional<Plan>& held, const SearchOptions& rule);

}  // namespace fabricast
