#pragma once
#include "planner/base/watch.h"
#include "planner/estimate/estimate_step.h"
#include "planner/result/plan_report.h"
#include "planner/search/known_work.h"
#include "planner/search/search_space.h"

#include <cstddef>
#include <functional>
#include <limits>
#include <span>

namespace fabricast {

/// Allocations and releases that a search walks through at most, what else it does counted as so
/// many of them: some seconds of work. All but searches for the least memory, or of enormous
/// clusters, end long before.
inline constexpr std::int64_t kMostEventsWalked = 40'000'000;
/// The same of one of some twenty searches that a question asks for.
inline constexpr std::int64_t kMostEventsOfMany = kMostEventsWalked / 10;

struct SearchOptions {
    std::size_t top = 5;     ///< plans wanted
    std::size_t misses = 3;  ///< layouts wanted where nothing fits: the nearest
    /// Of the objectives only memory changes which layouts of a cluster come first.
    PlanObjective objective = PlanObjective::Throughput;
    bool pareto = false;  ///< look on for layouts that are slower but need less memory
    /// Plans that the forecast cannot tell apart are one, and plans that fit come before those that
    /// may fit.
    bool distinct = false;
    bool tight = false;  ///< with `distinct`: plans that likely fit are as good (countsAsFit)
    /// Beyond, it ends with what it has and says so.
    std::int64_t mostWalked = kMostEventsWalked;
    /// With `distinct`, the same while too few plans surely fit, where it is more.
    std::int64_t mostUnsure = 0;
    /// Seconds of a step: where nothing that surely fits can be as fast, the search ends.
    double slowest = std::numeric_limits<double>::infinity();
    std::size_t threads = 1;
    KnownWork* known = nullptr;  ///< what earlier searches worked out
    /// At a time: what is known is copied, and stays there for the others.
    bool isOneOfSeveral = false;
    /// Called with the plans found so far, best first and without those alike: each time there is
    /// one more, of many some more, and with the last of a search that is stopped.
    std::function<void(std::span<const Plan>)> onPlan{};
};

/// The best layouts that fit, out of every one that the stacks take. Candidates are taken in the
/// order of a time they cannot beat: as soon as the plans found are faster than that, the rest need
/// no look. The answer is the one that estimating them all would give, for any number of threads,
/// unless the report says that the search was cut short.
/// `watch` counts the plans found of those wanted; a stop is noticed within a few milliseconds.
///     FABRICAST_ASSIGN(const PlanReport report, findPlans(task, timing, {.top = 5}, watch));
Result<PlanReport> findPlans(const SearchTask& task,
                             const TimingProfiles& profiles,
                             const SearchOptions& options,
                             const Watch& watch = {});

}  // namespace fabricast
