#pragma once
#include "planner/base/result.h"
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
/// Whether a schedule goes down the ranks and up again: rank r has chunks r and 2p-1-r.
bool isFolded(ScheduleKind schedule);
/// Whether a model chunk, in the order a microbatch visits them, lives on a pipeline rank.
/// DualPipe's ranks hold two stages each, one for either direction.
bool isOnRank(const Layout& layout, std::int64_t chunk, std::int64_t rank);

Result<PipelineOrder> pipelineOrder(const Scenario& scenario, std::int64_t stage);

/// Most chunks alive at once in an order.
std::int64_t mostInFlight(const PipelineOrder& order);

}  // namespace fabricast
