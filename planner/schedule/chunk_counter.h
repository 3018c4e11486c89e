#pragma once
#include "planner/result/stage_action.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace fabricast {

/// This writes the actions of a rank with two stages: each pass of a stage takes its microbatches
/// in turn, so that only pass and chunk have to be given.
///     rank.run(0, Pass::Forward);  // the next forward of the rank's first stage
class ChunkCounter {
public:
    struct Chunk {
        std::int64_t stage = 0;
        std::int64_t firstMicroBatch = 0;
        std::int64_t microBatches = 0;
    };

    ChunkCounter(Chunk first, Chunk second) : chunks_{first, second} {}

    /// The chunk's next microbatch for that pass. A full backward counts as both of its parts; what
    /// is past the last microbatch is left out.
    void run(std::size_t chunk, Pass pass, bool paired = false) {
        const std::int64_t turn = take(chunk, pass);
        if (turn < chunks_[chunk].microBatches) {
            const std::int64_t microBatch = chunks_[chunk].firstMicroBatch + turn;
            actions_.push_back({static_cast<std::int32_t>(chunks_[chunk].stage),
                                static_cast<std::int32_t>(microBatch),
                                pass,
                                paired});
        }
    }
    [[nodiscard]] std::int64_t count(std::size_t chunk, Pass pass) const {
        return done_[chunk][static_cast<std::size_t>(pass)];
    }
    [[nodiscard]] StageActions finish() && { return std::move(actions_); }

private:
    std::int64_t take(std::size_t chunk, Pass pass) {
        if (pass != Pass::Backward) {
            return done_[chunk][static_cast<std::size_t>(pass)]++;
        }
        ++done_[chunk][static_cast<std::size_t>(Pass::WeightGradient)];
        return done_[chunk][static_cast<std::size_t>(Pass::InputGradient)]++;
    }

    std::array<Chunk, 2> chunks_;
    std::array<std::array<std::int64_t, kPasses>, 2> done_{};
    StageActions actions_;
};

}  // namespace fabricast
