#include "planner/schedule/order_kind.h"

#include "planner/base/check.h"
#include "planner/schedule/rank_actions.h"
#include "planner/schedule/whole_orders.h"

namespace fabricast {
namespace {

constexpr std::array kRecipes = {
    OrderRecipe{OrderKind::Gpipe, Placement::Loop, &gpipeActions},
    OrderRecipe{OrderKind::OneFOneB, Placement::Loop, &oneFOneBActions},
    OrderRecipe{OrderKind::LoopedBfs, Placement::Loop, &loopedBfsActions},
    OrderRecipe{OrderKind::Interleaved, Placement::Loop, &interleavedActions},
    OrderRecipe{OrderKind::InterleavedPairs, Placement::Loop, &interleavedPairActions},
    OrderRecipe{OrderKind::InterleavedZb, Placement::Loop, &interleavedZbActions},
    OrderRecipe{OrderKind::ZbV, Placement::Fold, &zbVActions},
    OrderRecipe{OrderKind::DualPipeV, Placement::Fold, &dualPipeVActions},
    OrderRecipe{OrderKind::DualPipeVWhole, Placement::Fold, &dualPipeVWholeActions},
    OrderRecipe{OrderKind::DualPipe, Placement::TwoWay, &dualPipeTwoWayActions},
    OrderRecipe{OrderKind::ZbH2, Placement::Loop, &zbH2Actions},
    OrderRecipe{OrderKind::VHalf, Placement::Fold, nullptr, &vHalfActions},
    OrderRecipe{OrderKind::VMin, Placement::Fold, nullptr, &vMinActions}};

}  // namespace

const OrderRecipe& recipeOf(OrderKind kind) {
    const OrderRecipe& recipe = kRecipes.at(static_cast<std::size_t>(kind));
    FABRICAST_CHECK(recipe.kind == kind);
    return recipe;
}

ActionOrder actionOrder(OrderKind kind, const PipelineShape& shape) {
    const OrderRecipe& recipe = recipeOf(kind);
    ActionOrder order{.shape = shape, .placement = recipe.placement, .ranks = {}};
    if (recipe.ofAll != nullptr) {
        order.ranks = recipe.ofAll(shape);
        return order;
    }
    order.ranks.reserve(static_cast<std::size_t>(shape.ranks));
    for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
        order.ranks.push_back(recipe.ofRank(shape, rank));
    }
    return order;
}

}  // namespace fabricast
