#pragma once
#include "cli/global_options.h"
#include "cli/scenario_flags.h"
#include "planner/budget/budget_facts.h"
#include "planner/estimate/estimate_step.h"
#include "planner/io/profile_store.h"
#include "planner/search/find_plans.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

/// What a user said about the plans to look for.
struct PlanFlags {
    ScenarioFlags scenario;
    std::vector<std::string> stacks;
    std::vector<std::string> fixed;
    std::vector<std::string> freed;  ///< keys that are searched although they were held
    std::vector<std::string> forbidden;
    std::vector<std::string> allowed;
    std::int64_t top = 5;
    std::int64_t simulate = 0;  ///< how many of the best to simulate, and put in order by that
    std::string objective = "tokens";
    std::vector<std::string> targets;
    bool sensitivity = false;
    bool pareto = false;
};

/// A search as it is run, and what was assumed for it.
struct PlanQuestion {
    SearchTask task;
    SearchOptions options;
    BudgetFacts budget;
    bool parts = false;  ///< some GPUs may idle
    std::vector<std::string> assumed;
};

/// From the scenario file, the flags and --set.
Result<PlanQuestion> planQuestion(const PlanFlags& flags,
                                  const GlobalOptions& options,
                                  const ProfileStore& profiles);

/// "megatron tp=8,pp=2,recompute=full".
std::string typedPlan(const Plan& plan);

}  // namespace fabricast
