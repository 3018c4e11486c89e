#include "planner/schedule/action_order.h"

#include "planner/schedule/order_kind.h"
#include "planner/schedule/step_list.h"
#include "tests/planner/schedule/any_order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <tuple>

namespace fabricast {
namespace {

/// What is wrong with an order, or nothing: each stage runs each microbatch forward once, and then
/// backward once, in one or in two parts.
std::string mistakeIn(const ActionOrder& order) {
    std::set<std::tuple<int, int, Pass>> seen;
    const auto ran = [&](const StageAction& action, Pass pass) {
        return seen.contains({action.stage, action.microBatch, pass});
    };
    std::size_t backwards = 0;
    for (std::size_t rank = 0; rank < order.ranks.size(); ++rank) {
        for (const StageAction& action : order.ranks[rank]) {
            const std::string name = actionText(action);
            if (order.rankOf(action.stage, action.microBatch) != static_cast<std::int64_t>(rank)) {
                return name + " is not on its rank";
            }
            const bool late = action.pass == Pass::WeightGradient;
            const bool first = action.pass == Pass::Forward || ran(action, Pass::Forward);
            const bool once = !ran(action, action.pass) && !ran(action, Pass::Backward);
            if (!first || !once || (late && !ran(action, Pass::InputGradient))) {
                return name + " comes at the wrong place";
            }
            seen.insert({action.stage, action.microBatch, action.pass});
            backwards += action.pass == Pass::Backward || late ? 1 : 0;
        }
    }
    const auto all = static_cast<std::size_t>(order.stages() * order.shape.microBatches);
    return backwards == all ? "" : "some backwards are missing";
}

RC_GTEST_PROP(ActionOrder, RunsEveryPassOnceAndNeverWaitsForItself, ()) {
    const OrderKind kind = *rc::gen::elementOf(kAllKinds);
    const ActionOrder order = actionOrder(kind, anyShape(kind));
    RC_ASSERT(mistakeIn(order) == "");
    for (const PairMode mode : {PairMode::Atomic, PairMode::Sequential}) {
        const auto steps = sortSteps(order, mode);
        RC_ASSERT(steps.has_value());
    }
}

TEST(ActionOrder, FoldsAndMeets) {
    const PipelineShape fold{.ranks = 4, .chunks = 2, .microBatches = 8};
    EXPECT_EQ(rankOfStage(fold, Placement::Fold, 3, 0), 3);
    EXPECT_EQ(rankOfStage(fold, Placement::Fold, 4, 0), 3);
    EXPECT_EQ(rankOfStage(fold, Placement::Fold, 7, 0), 0);
    EXPECT_EQ(rankOfStage(fold, Placement::Loop, 7, 0), 3);
    const PipelineShape two{.ranks = 4, .microBatches = 8};
    EXPECT_EQ(rankOfStage(two, Placement::TwoWay, 0, 3), 0);
    EXPECT_EQ(rankOfStage(two, Placement::TwoWay, 0, 4), 3);
}

}  // namespace
}  // namespace fabricast
