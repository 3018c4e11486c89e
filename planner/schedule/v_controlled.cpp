#include "planner/schedule/v_memory_limit.h"
#include "planner/schedule/whole_orders.h"

namespace fabricast {
namespace {

/// Every pass goes on to the next rank at once: the shortest lives there are. The way back starts
/// two slots later where it would meet a forward.
std::array<std::int64_t, kVPasses> shortestBlock(std::int64_t ranks, std::int64_t rank) {
    const std::int64_t apart = ranks % 3 == 0 ? 2 : 0;
    return {rank, 2 * ranks - 1 - rank, 2 * ranks + apart + rank, 4 * ranks + apart - 1 - rank};
}

/// Passes down the ranks leave a slot between two: half of what 1F1B keeps.
std::array<std::int64_t, kVPasses> halfBlock(std::int64_t ranks, std::int64_t rank) {
    const std::int64_t apart = ranks % 2 == 0 ? 3 : 0;
    return {2 * rank,
            3 * ranks - 2 - rank,
            3 * ranks + apart - 1 + 2 * rank,
            6 * ranks + apart - 2 - rank};
}

/// The blocks in a row, their ends tightened: once around the weight gradients, and once without
/// them, since they can go elsewhere.
std::vector<StageActions> controlled(VBlock block, const PipelineShape& shape) {
    VGrid grid = repeatBlock(block, shape);
    for (VRank& rank : grid) {
        fillWeights(rank);
    }
    tighten(grid);
    squeeze(grid);
    for (VRank& rank : grid) {
        rank.weights.clear();
    }
    tighten(grid);
    for (VRank& rank : grid) {
        fillWeights(rank);
    }
    squeeze(grid);
    return actionsOf(grid);
}

}  // namespace

std::vector<StageActions> vHalfActions(const PipelineShape& shape) {
    return controlled(&halfBlock, shape);
}

std::vector<StageActions> vMinActions(const PipelineShape& shape) {
    return controlled(&shortestBlock, shape);
}

}  // namespace fabricast
