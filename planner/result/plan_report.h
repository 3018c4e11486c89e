#pragma once
#include "planner/result/changes.h"
#include "planner/result/memory_breakdown.h"
#include "planner/result/plan_fix.h"
#include "planner/result/run_cost.h"
#include "planner/result/sensitivity.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/scenario.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// What the best plan has most of (throughput) or least of.
enum class PlanObjective { Throughput, Memory, Cost, Energy, Gpus };

/// One layout with its forecast.
struct Plan {
    Scenario scenario;
    StepEstimate step;
    MemoryBreakdown memory;
    std::optional<RunCost> cost{};
    std::optional<Seconds> simulated{};  ///< what its step takes event by event, where asked for
    std::vector<Plan> alike{};  ///< other spellings that the forecast cannot tell from this one

    /// Whether a node has the host memory and the drives that its ranks need; true if not known.
    [[nodiscard]] bool fitsHost() const {
        return memory.host.verdict() != Verdict::DoesNotFit &&
               memory.drives.verdict() != Verdict::DoesNotFit;
    }
};

/// A stack that has no layout to offer, or one that cannot be forecast.
struct PlanRejection {
    std::string stack;
    std::int64_t layouts = 0;
    std::string why;
    bool isMethod = false;  ///< it has no such way to train, whatever the layout
};

/// This is the answer to "how should it be trained here?"
struct PlanReport {
    Scenario question;  ///< stack, layout and settings are open
    PlanObjective objective = PlanObjective::Throughput;
    /// Best first. Plans that fit come before those that likely fit, unless tight ones are allowed;
    /// each stands for those alike.
    std::vector<Plan> plans;
    /// The first of `plans` if tight ones were allowed, where it is faster than the first of them.
    std::optional<Plan> tighter;
    /// A plan that is better than all of `plans`, if nodes have the memory of a host, or the
    /// drives, that nobody stated; a note names it.
    std::optional<Plan> waitsForHost;
    /// A setting that costs nothing and makes the first plan faster.
    std::optional<FasterChange> faster;
    /// Settings that make something surely fit in the GPUs alone, where nothing does.
    std::optional<SurerChange> surer;
    /// Layouts that no other beats in step time, GPUs and memory to spare, where it was asked for;
    /// else those of `plans`.
    std::vector<Plan> pareto;
    bool wholeFront = false;   ///< it was asked for
    bool heldOffload = false;  ///< where states are was asked for: no other place was looked at
    bool refused = false;      ///< no stack takes any layout with these settings
    bool tooSlow = false;      ///< nothing is as fast as was asked for: it was not looked further
    bool stopped = false;      ///< `plans` are the best of those looked at until then
    std::string unfinished;    ///< what was stopped after the search: "the simulations"
    std::string cutShort;      ///< what was not looked at, where there was too much
    std::vector<Plan> misses;  ///< where nothing fits: what comes nearest, nearest first
    std::vector<PlanRejection> rejections;
    std::optional<Sensitivity> sensitivity;  ///< of the best plan, where it was asked for
    std::optional<PlanFixes> fixes;          ///< where there are targets, or nothing fits
    std::int64_t candidates = 0;             ///< layouts that the stacks take
    std::int64_t feasible = 0;               ///< of them, those whose states alone leave room
    std::int64_t looks = 0;  ///< at groups of layouts and at layouts: the search's work
    /// Allocations and releases, for the memory of layouts, or looks as long as so many.
    std::int64_t walked = 0;
    CostBasis basis;  ///< of the plans' costs
    std::vector<std::string> notes;

    /// Else the keys that are held leave no layout: a stack without the method asked for has them.
    [[nodiscard]] bool hasLayouts() const {
        return candidates > 0 || std::ranges::any_of(rejections, [](const PlanRejection& one) {
                   return one.isMethod || one.layouts > 0;
               });
    }
    /// Layouts that may fit and are not modelled.
    [[nodiscard]] std::int64_t unmodelled() const {
        return std::accumulate(
            rejections.begin(),
            rejections.end(),
            std::int64_t{0},
            [](std::int64_t sum, const PlanRejection& one) { return sum + one.layouts; });
    }
    /// Nothing is modelled of what may fit, be it too large: else it does not fit.
    [[nodiscard]] bool isNotModelled() const {
        return plans.empty() && misses.empty() && unmodelled() > 0;
    }
};

}  // namespace fabricast
