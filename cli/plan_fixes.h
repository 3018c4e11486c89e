#pragma once
#include "cli/plan_moves.h"
#include "cli/plan_question.h"
#include "planner/result/plan_fix.h"
#include "planner/result/plan_report.h"

#include <string>
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

/// What searches are run with.
struct FixBench {
    const PlanFlags& flags;
    const GlobalOptions& options;
    const ProfileStore& profiles;
    const TimingProfiles& timing;
};

/// How far a report's best plan is from the targets and, where it misses one or nothing fits, the
/// changes of the question that help, each searched for real: single ones, then, where none is
/// enough, pairs of the best of them.
PlanFixes planFixes(const FixBench& bench,
                    const PlanReport& report,
                    const std::vector<PlanTarget>& targets);

}  // namespace fabricast
