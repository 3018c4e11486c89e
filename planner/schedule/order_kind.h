#pragma once
#include "planner/base/result.h"
#include "planner/result/stage_action.h"
#include "planner/schedule/action_order.h"
#include "planner/spec/layout.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
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

/// "3F0"; F forward, B backward, I input gradient, W weight gradient.
std::string actionText(const StageAction& action);

/// Every action of a rank, with a space between them and "&" inside a pair: "0F0 0F1 0F2&1B0".
std::string actionsText(const StageActions& actions);

/// A schedule as it is typed.
struct ScheduleName {
    std::string_view name;    ///< ours: "zbv"
    std::string_view class_;  ///< as in the frameworks' code: "ZBVZeroBubble"
    ScheduleKind schedule;
    bool expertOverlap = false;
    std::int64_t usualChunks = 1;  ///< default number of stages per rank
};

/// By our name or a framework's, upper or lower case, with or without hyphens.
Result<ScheduleName> findSchedule(std::string_view typed);

}  // namespace fabricast
