#include "planner/schedule/chunk_counter.h"
#include "planner/schedule/rank_actions.h"
#include "planner/schedule/v_memory_limit.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {

constexpr std::size_t kDown = 0;  ///< the rank's stage on the way down the ranks
constexpr std::size_t kUp = 1;    ///< and on the way up

void runSplitBackward(ChunkCounter& rank, std::size_t chunk) {
    rank.run(chunk, Pass::InputGradient);
    rank.run(chunk, Pass::WeightGradient);
}

/// Until the rank has run its first p-r backwards of the way up.
void warmUp(ChunkCounter& actions, std::int64_t ranks, std::int64_t rank) {
    for (std::int64_t i = 0; i < 2 * (ranks - rank) - 1; ++i) {
        actions.run(kDown, Pass::Forward);
    }
    for (std::int64_t i = 0; i < rank; ++i) {
        actions.run(kUp, Pass::Forward);
        actions.run(kDown, Pass::Forward);
    }
    for (std::int64_t i = 0; i < ranks - rank; ++i) {
        actions.run(kUp, Pass::Forward);
        runSplitBackward(actions, kUp);
    }
}

void steady(ChunkCounter& actions, std::int64_t count) {
    const auto forwards = [&actions](std::size_t chunk) {
        return actions.count(chunk, Pass::Forward);
    };
    while (forwards(kUp) < forwards(kDown) || forwards(kDown) < count) {
        if (forwards(kDown) < count) {
            actions.run(kDown, Pass::Forward);
        }
        runSplitBackward(actions, kDown);
        actions.run(kUp, Pass::Forward);
        runSplitBackward(actions, kUp);
    }
}

void weightGradientsLeft(ChunkCounter& actions, std::size_t chunk) {
    while (actions.count(chunk, Pass::WeightGradient) < actions.count(chunk, Pass::InputGradient)) {
        actions.run(chunk, Pass::WeightGradient);
    }
}

void coolDown(ChunkCounter& actions, std::int64_t ranks, std::int64_t rank) {
    for (std::int64_t i = 0; i < rank; ++i) {
        actions.run(kDown, Pass::InputGradient);
        actions.run(kUp, Pass::InputGradient);
    }
    for (std::int64_t i = 0; i < ranks - rank; ++i) {
        runSplitBackward(actions, kDown);
    }
    weightGradientsLeft(actions, kUp);
    weightGradientsLeft(actions, kDown);
}

/// Every pass continues on the next rank at once: the shortest lives there are. The way back starts
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

// ZB-V (Qi et al., 2023, section 6) as torch writes it: planned for at least 2p-1 microbatches,
// those that there are not left out.
StageActions zbVActions(const PipelineShape& shape, std::int64_t rank) {
    const std::int64_t planned = std::max(2 * shape.ranks - 1, shape.microBatches);
    ChunkCounter actions({.stage = rank, .microBatches = shape.microBatches},
                         {.stage = 2 * shape.ranks - 1 - rank, .microBatches = shape.microBatches});
    warmUp(actions, shape.ranks, rank);
    steady(actions, planned);
    coolDown(actions, shape.ranks, rank);
    return std::move(actions).finish();
}

std::vector<StageActions> vHalfActions(const PipelineShape& shape) {
    return controlled(&halfBlock, shape);
}

std::vector<StageActions> vMinActions(const PipelineShape& shape) {
    return controlled(&shortestBlock, shape);
}

}  // namespace fabricast
