#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/budget/budget_facts.h"
#include "planner/result/plan_fix.h"
#include "planner/result/plan_report.h"
#include "study/search_request.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// "tokens-per-s=200000", "step=2.5s", "mfu=45%", "days=30".
Result<std::vector<PlanTarget>> readTargets(const std::vector<std::string>& typed);
/// How many days a run takes depends on its tokens.
Result<void> checkTargets(const std::vector<PlanTarget>& targets, const BudgetFacts& budget);

/// Whether a plan reaches all of them at the prices and failures of a budget.
bool meetsTargets(const Plan& plan,
                  const std::vector<PlanTarget>& targets,
                  const BudgetFacts& budget);

/// Whether a target, as typed, is of a step and not of hardware: size does not take it.
bool isTargetOfStep(std::string_view typed);

/// In dollars of a million tokens; empty: not known.
std::optional<double> dollarsPerMtok(const Plan& plan);

/// How far a report's best plan is from the targets; nothing where there are none.
std::optional<PlanFixes> targetVerdicts(const PlanReport& report,
                                        const std::vector<PlanTarget>& targets);

struct TargetFixes {
    PlanFixes fixes;
    std::string cutShort{};  ///< what was not looked at, where there was too much
};

/// How far a report's best plan is from the targets of its request and, where it misses one or
/// nothing fits, the changes of the question that help. Each is searched by the rule that the
/// report was searched by: single ones, then, where none is enough, pairs of the best of them. All
/// of them together walk through no more than a search for plans may, less what the report's own
/// took.
Result<TargetFixes> targetFixes(const Question& question,
                                const SearchRequest& request,
                                const PlanReport& report,
                                const Workbench& bench,
                                const Watch& watch);

}  // namespace fabricast
