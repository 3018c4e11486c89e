#pragma once
#include "planner/schedule/action_order.h"

#include <array>
#include <cstdint>
#include <vector>

namespace fabricast {

/// The orders that there are. Several schedules of several frameworks are one order: see
/// `frameworkOrder`.
enum class OrderKind : std::uint8_t {
    Gpipe,
    OneFOneB,
    LoopedBfs,
    Interleaved,
    InterleavedPairs,
    InterleavedZb,
    ZbV,
    DualPipeV,
    DualPipeVWhole,
    DualPipe,
    ZbH2,
    VHalf,
    VMin
};

/// How one of them is made: rank by rank, or all at once.
struct OrderRecipe {
    OrderKind kind;
    Placement placement;
    StageActions (*ofRank)(const PipelineShape& shape, std::int64_t rank) = nullptr;
    std::vector<StageActions> (*ofAll)(const PipelineShape& shape) = nullptr;
};
const OrderRecipe& recipeOf(OrderKind kind);

/// Every rank's actions. The shape has been accepted by `frameworkOrder`.
///     const ActionOrder order = actionOrder(OrderKind::OneFOneB, {.ranks = 4, .microBatches = 8});
ActionOrder actionOrder(OrderKind kind, const PipelineShape& shape);

}  // namespace fabricast
