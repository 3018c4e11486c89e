#pragma once
#include "planner/base/result.h"
#include "planner/result/stage_action.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// A forward or a backward of one model chunk for one microbatch on one pipeline rank.
struct PipelineAction {
    bool forward = true;
    int chunk = 0;
    std::int64_t microBatch = 0;
};

/// The order in which a pipeline rank runs its forwards and backwards, as its schedule says. Long
/// steady phases are cut short: only what decides the peak is kept.
struct PipelineOrder {
    std::vector<PipelineAction> actions;
    /// Microbatches beside those of `actions` whose activations are held from the first forward to
    /// the last backward: what a schedule that runs all forwards first has too many of to walk.
    std::int64_t held = 0;
};
Result<PipelineOrder> pipelineOrder(const Scenario& scenario, std::int64_t stage);

/// The microbatches of a step, as far as a walk tells more of them from fewer.
std::int64_t microBatchesSeen(const Scenario& scenario);

/// A rank's actions as the memory walk runs them: all but input gradients. What a backward keeps
/// for its weight gradient is held until that has run, so the walk has all of the backward there.
PipelineOrder walkOrder(const StageActions& actions);

/// Most chunks alive at once in an order.
std::int64_t mostInFlight(const PipelineOrder& order);

/// Which rank is asked about. `rank` is its place among the ranks that share the stage's
/// parameters, `expertRank` among those that share its experts: they matter only where shards are
/// unequal.
struct StageRank {
    std::int64_t stage = 0;
    std::int64_t rank = 0;
    std::int64_t expertRank = 0;
};

}  // namespace fabricast
