#include "planner/schedule/chunk_counter.h"
#include "planner/schedule/rank_actions.h"

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

}  // namespace fabricast
