#pragma once
#include "planner/estimate/estimate_step.h"
#include "planner/result/plan_report.h"
#include "planner/search/search_space.h"

#include <cstddef>

namespace fabricast {

struct SearchOptions {
    std::size_t top = 5;  ///< plans wanted
    /// Of the objectives only memory changes which layouts of a cluster come first.
    PlanObjective objective = PlanObjective::Throughput;
    bool pareto = false;  ///< look on for layouts that are slower but need less memory
    std::size_t threads = 1;
    bool suggestFixes = true;  ///< where nothing fits: what would lower the nearest miss
};

/// The best layouts that fit, out of every one that the stacks take. Candidates are taken in the
/// order of a time they cannot beat: as soon as the plans found are faster than that, the rest need
/// no look. The answer is the one that estimating them all would give, for any number of threads.
///     FABRICAST_ASSIGN(const PlanReport report, findPlans(task, timing, {.top = 5}));
Result<PlanReport> findPlans(const SearchTask& task,
                             const TimingProfiles& profiles,
                             const SearchOptions& options);

}  // namespace fabricast
