#pragma once
#include "planner/result/stage_action.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// The size of a pipeline: what a schedule's order depends on, besides the schedule.
struct PipelineShape {
    std::int64_t ranks = 1;
    std::int64_t chunks = 1;  ///< stages per rank (Megatron: model chunks)
    std::int64_t microBatches = 1;
    std::int64_t group = 0;  ///< interleaved: microbatches that a chunk runs in a row; 0: default

    [[nodiscard]] std::int64_t stages() const { return ranks * chunks; }
    // clang-tidy 14 sees a null pointer in <=>.
    friend auto operator<=>(const PipelineShape&, const PipelineShape&) = default;  // NOLINT
};

/// Where the stages lie. Loop: stage s on rank s mod p. Fold: down the ranks and up again, so that
/// rank r has r and 2p-1-r. TwoWay: the second half of the microbatches enters at the last rank, so
/// that rank r has stage r for one half and p-1-r for the other.
enum class Placement : std::uint8_t { Loop, Fold, TwoWay };

/// This is what every rank of a pipeline runs, in its order.
struct ActionOrder {
    PipelineShape shape;
    Placement placement = Placement::Loop;
    std::vector<StageActions> ranks;

    /// Stages that a microbatch goes through.
    [[nodiscard]] std::int64_t stages() const {
        return placement == Placement::TwoWay ? shape.ranks : shape.stages();
    }
    [[nodiscard]] std::int64_t rankOf(std::int64_t stage, std::int64_t microBatch) const;
};

/// The rank that has a stage (of a microbatch, where that matters).
inline std::int64_t rankOfStage(const PipelineShape& shape,
                                Placement placement,
                                std::int64_t stage,
                                std::int64_t microBatch) {
    const std::int64_t column = stage % shape.ranks;
    const bool back = (placement == Placement::Fold && (stage / shape.ranks) % 2 == 1) ||
                      (placement == Placement::TwoWay && microBatch >= shape.microBatches / 2);
    return back ? shape.ranks - 1 - column : column;
}

inline std::int64_t ActionOrder::rankOf(std::int64_t stage, std::int64_t microBatch) const {
    return rankOfStage(shape, placement, stage, microBatch);
}

}  // namespace fabricast
