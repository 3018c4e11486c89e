#pragma once
#include "planner/base/watch.h"
#include "planner/budget/budget_facts.h"
#include "planner/estimate/estimate_step.h"
#include "planner/result/plan_report.h"
#include "planner/search/find_plans.h"
#include "study/question.h"
#include "study/workbench.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A search as it is run, and what was assumed for it. What a question says about it:
///     "search": {"stacks": ["megatron"], "forbid": ["pp", "schedule=gpipe"], "top": 5,
///                "allow": ["tp_across_nodes", "idle_gpus", "tight"], "objective": "cost",
///                "software": "tuned", "targets": ["days=30"]}
/// Keys of its layout are held.
struct SearchRequest {
    SearchTask task;
    SearchOptions options;
    BudgetFacts budget;
    std::vector<PlanTarget>
        targets;         ///< where some GPUs may idle, plans that miss one do not count
    bool parts = false;  ///< some GPUs may idle
    std::vector<std::string> assumed;
};

Result<SearchRequest> searchRequest(const Question& question, const Workbench& bench);

/// Names and words that no search has are refused, whether or not the search is run.
Result<void> checkSearch(const Question& question);

/// What a plan is to reach by the question's own words, where nothing else is asked.
Result<std::vector<PlanTarget>> askedTargets(const Question& question);

/// Where a rule comes from that a way to train adds: it gives way to what the question holds.
inline constexpr std::string_view kOfFamily = "advise";

/// A list of the question's search, as it is typed: "forbid" is "pp", "schedule=gpipe".
std::vector<std::string> searchWords(const Question& question, std::string_view list);

/// Whether the question holds a value of a layout that its own rules of the search leave out.
bool forbidsWhatItHolds(const Question& question);

/// The best plans by the request's own rule, priced: the one way to search, for the plans of an
/// answer and for everything that is compared with them.
Result<PlanReport> searched(const SearchRequest& request,
                            const TimingProfiles& timing,
                            const Watch& watch);

}  // namespace fabricast
