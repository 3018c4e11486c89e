#include "planner/schedule/chunk_counter.h"
#include "planner/schedule/rank_actions.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace fabricast {
namespace {

/// The place of a rank in DualPipe's eight steps. DualPipeV folds one pipeline of 2p stages on p
/// ranks; the two-way DualPipe runs two pipelines of p stages against each other, of which each
/// half of the ranks sees the same.
struct DualPipePlace {
    std::int64_t depth = 1;         ///< ranks from the outermost to the innermost
    std::int64_t rank = 0;          ///< 0: the outermost
    std::int64_t microBatches = 0;  ///< of a chunk
    bool splitsWeights = true;      ///< weight gradients apart where that fills the bubble
};

constexpr std::size_t kFirst = 0;
constexpr std::size_t kSecond = 1;

/// The rank's actions, and the chunks whose weight gradients wait, oldest first.
class DualPipeRank {
public:
    DualPipeRank(const DualPipePlace& place, ChunkCounter actions)
        : place_(place), actions_(std::move(actions)) {}

    StageActions run() && {
        const std::int64_t before = place_.depth - place_.rank - 1;  // ranks further inside
        for (std::int64_t i = 0; i < 2 * before; ++i) {
            actions_.run(kFirst, Pass::Forward);
        }
        for (std::int64_t i = 0; i <= place_.rank; ++i) {
            actions_.run(kFirst, Pass::Forward);
            actions_.run(kSecond, Pass::Forward);
        }
        for (std::int64_t i = 0; i < before; ++i) {
            backward(kSecond, place_.splitsWeights);
            weightGradient();
            actions_.run(kSecond, Pass::Forward);
        }
        steady();
        for (std::int64_t i = 0; i < before; ++i) {
            backward(kSecond, false);
            pair(kSecond, kFirst);
        }
        coolDown(before);
        return std::move(actions_).finish();
    }

private:
    /// Both directions overlapped: a forward of one chunk with a backward of the other.
    void steady() {
        const std::int64_t turns = place_.microBatches - 2 * place_.depth + place_.rank + 1;
        for (std::int64_t i = 0; i < turns; ++i) {
            if (i == 0 &&
                place_.rank == place_.depth - 1) {  // the turning point: nothing to wait for
                actions_.run(kFirst, Pass::Forward);
                backward(kSecond, false);
            } else {
                pair(kFirst, kSecond);
            }
            pair(kSecond, kFirst);
        }
    }

    /// From the middle on, weight gradients are kept for the end.
    void coolDown(std::int64_t before) {
        const std::int64_t turns = place_.rank + 1;
        bool split = false;
        for (std::int64_t i = 0; i < turns; ++i) {
            const bool middle = place_.splitsWeights && i == turns / 2;
            split = split || (middle && place_.rank % 2 == 1);
            backward(kSecond, split);
            split = split || middle;
            backward(kFirst, split);
        }
        for (std::int64_t i = 0; i < before; ++i) {
            weightGradient();
            backward(kFirst, split);
        }
        for (std::int64_t i = 0; i < turns; ++i) {
            weightGradient();
        }
    }

    void backward(std::size_t chunk, bool split) {
        actions_.run(chunk, split ? Pass::InputGradient : Pass::Backward);
        if (split) {
            waiting_.push_back(chunk);
        }
    }

    void pair(std::size_t forward, std::size_t back) {
        actions_.run(forward, Pass::Forward, true);
        backward(back, false);
    }

    void weightGradient() {
        if (!waiting_.empty()) {
            actions_.run(waiting_.front(), Pass::WeightGradient);
            waiting_.pop_front();
        }
    }

    DualPipePlace place_;
    ChunkCounter actions_;
    std::deque<std::size_t> waiting_;
};

/// DeepSeek's schedule: chunk 0 is where microbatches come from the outermost rank.
StageActions dualPipeActions(const DualPipePlace& place, ChunkCounter actions) {
    return DualPipeRank(place, std::move(actions)).run();
}

StageActions folded(const PipelineShape& shape, std::int64_t rank, bool splitsWeights) {
    const std::int64_t count = shape.microBatches;
    const ChunkCounter chunks({.stage = rank, .microBatches = count},
                              {.stage = 2 * shape.ranks - 1 - rank, .microBatches = count});
    return dualPipeActions({.depth = shape.ranks,
                            .rank = rank,
                            .microBatches = shape.microBatches,
                            .splitsWeights = splitsWeights},
                           chunks);
}

}  // namespace

// Both halves of the ranks play the same game, each from its own end: rank p-1-r is rank r with the
// two pipelines swapped.
StageActions dualPipeTwoWayActions(const PipelineShape& shape, std::int64_t rank) {
    const std::int64_t half = shape.microBatches / 2;
    const bool second = rank >= shape.ranks / 2;
    const std::int64_t mirrored = shape.ranks - 1 - rank;
    const ChunkCounter::Chunk down{.stage = rank, .firstMicroBatch = 0, .microBatches = half};
    const ChunkCounter::Chunk up{.stage = mirrored, .firstMicroBatch = half, .microBatches = half};
    return dualPipeActions(
        {.depth = shape.ranks / 2, .rank = std::min(rank, mirrored), .microBatches = half},
        second ? ChunkCounter(up, down) : ChunkCounter(down, up));
}

StageActions dualPipeVActions(const PipelineShape& shape, std::int64_t rank) {
    return folded(shape, rank, true);
}

StageActions dualPipeVWholeActions(const PipelineShape& shape, std::int64_t rank) {
    return folded(shape, rank, false);
}

}  // namespace fabricast
