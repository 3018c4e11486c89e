#include "planner/schedule/order_kind.h"

#include "planner/base/check.h"
#include "planner/base/nearest_name.h"
#include "planner/base/small_letters.h"
#include "planner/schedule/rank_actions.h"
#include "planner/spec/names.h"

#include <algorithm>
#include <array>
#include <string>

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

constexpr std::array kNames = {
    ScheduleName{"gpipe", "gpipe", ScheduleKind::Gpipe},
    ScheduleName{"1f1b", "trainschedule", ScheduleKind::OneFOneB},
    ScheduleName{"interleaved", "interleaved1f1b", ScheduleKind::Interleaved, false, 2},
    ScheduleName{
        "interleaved-overlap-ep", "interleavedoverlapep", ScheduleKind::Interleaved, true, 2},
    ScheduleName{"looped-bfs", "loopedbfs", ScheduleKind::LoopedBfs, false, 2},
    ScheduleName{"interleaved-zb", "interleavedzerobubble", ScheduleKind::InterleavedZb, false, 2},
    ScheduleName{"zb-h1", "zbh1", ScheduleKind::ZbH1},
    ScheduleName{"zb-h2", "zbh2", ScheduleKind::ZbH2},
    ScheduleName{"zbv", "zbvzerobubble", ScheduleKind::ZbV, false, 2},
    ScheduleName{"v-half", "vhalf", ScheduleKind::VHalf, false, 2},
    ScheduleName{"v-min", "vmin", ScheduleKind::VMin, false, 2},
    ScheduleName{"dualpipe", "dualpipe", ScheduleKind::DualPipe},
    ScheduleName{"dualpipev", "dualpipevschedule", ScheduleKind::DualPipeV, false, 2}};

/// Our names, in the order of the documentation.
std::vector<std::string_view> scheduleNames() {
    std::vector<std::string_view> names;
    names.reserve(kNames.size());
    for (const ScheduleName& name : kNames) {
        names.push_back(name.name);
    }
    return names;
}

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

std::string actionText(const StageAction& action) {
    return std::to_string(action.stage) + letterOf(action.pass) + std::to_string(action.microBatch);
}

std::string actionsText(const StageActions& actions) {
    std::string text;
    char between = '\0';
    for (const StageAction& action : actions) {
        if (between != '\0') {
            text += between;
        }
        text += actionText(action);
        between = action.paired ? '&' : ' ';
    }
    return text;
}

Result<ScheduleName> findSchedule(std::string_view typed) {
    const std::string wanted = inSmallLetters(typed);
    for (const ScheduleName& name : kNames) {
        if (sameName(wanted, name.name) || sameName(wanted, name.class_)) {
            return name;
        }
    }
    return fail(Error::Code::NotFound,
                "schedule",
                "no schedule is called \"" + std::string(typed) + "\"",
                suggestName(wanted, scheduleNames()));
}

}  // namespace fabricast
