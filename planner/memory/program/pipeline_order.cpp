#include "planner/memory/program/ordered_stages.h"
#include "planner/schedule/framework_order.h"
#include "planner/sharding/stage_shape.h"

#include <algorithm>
#include <map>
#include <set>

namespace fabricast {

namespace {

/// Microbatches in flight beyond these are alike, and are held as one block.
constexpr std::int64_t kMostWalked = 8;

/// F … F, then one F and one B in turn, then B … B.
std::vector<PipelineAction> oneFOneB(std::int64_t warmUp, std::int64_t count) {
    std::vector<PipelineAction> order;
    const std::int64_t ahead = std::min(warmUp, count);
    for (std::int64_t i = 0; i < ahead; ++i) {
        order.push_back({true, 0, i});
    }
    for (std::int64_t i = 0; i < count; ++i) {
        if (ahead + i < count) {
            order.push_back({true, 0, ahead + i});
        }
        order.push_back({false, 0, i});
    }
    return order;
}

/// A rank with one chunk and at most `inFlight` microbatches of `count` alive.
PipelineOrder oneChunk(std::int64_t inFlight, std::int64_t count) {
    const std::int64_t alive = std::min(inFlight, count);
    const std::int64_t held = std::max<std::int64_t>(0, alive - kMostWalked);
    const std::int64_t walked = alive - held;
    // The second microbatch adds its gradients to the first one's; the third runs beside the sum.
    const std::int64_t steady = std::min<std::int64_t>(count - alive, alive == 1 ? 2 : 1);
    return {oneFOneB(walked - 1, walked + steady), held};
}

/// The model chunks of a rank are numbered in the order in which a microbatch visits them.
std::map<std::int32_t, int> chunksOf(const StageActions& actions) {
    std::set<std::int32_t> stages;
    for (const StageAction& action : actions) {
        stages.insert(action.stage);
    }
    std::map<std::int32_t, int> chunks;
    for (const std::int32_t stage : stages) {
        chunks.emplace(stage, static_cast<int>(chunks.size()));
    }
    return chunks;
}

/// What the framework's own schedule has the rank run, for as many microbatches as it takes until
/// as much is alive as ever, beside the gradients of all chunks.
Result<PipelineOrder> asScheduled(const Scenario& scenario,
                                  std::int64_t stage,
                                  std::int64_t count) {
    const Layout& layout = scenario.layout;
    const std::int64_t group = std::max(layout.scheduleGroup, layout.pp);
    FABRICAST_ASSIGN(
        const FrameworkOrder chosen,
        frameworkOrder({.framework = frameworkOf(scenario.stack).value_or(Framework::Paper),
                        .schedule = layout.schedule,
                        .shape = {.ranks = layout.pp,
                                  .chunks = layout.vpp,
                                  .microBatches = std::min(count, 3 * group),
                                  .group = group}}));
    const OrderRecipe& recipe = recipeOf(chosen.kind);
    return walkOrder(recipe.ofRank != nullptr
                         ? recipe.ofRank(chosen.shape, stage)
                         : recipe.ofAll(chosen.shape).at(static_cast<std::size_t>(stage)));
}

/// Microbatches go through the chunks in groups; the warm-up is 2(p-r-1) + (v-1)·group chunks.
std::vector<PipelineAction> interleaved(const Layout& layout,
                                        std::int64_t warmUp,
                                        std::int64_t count,
                                        std::int64_t group) {
    const std::int64_t chunks = layout.vpp;
    const std::int64_t total = count * chunks;
    const auto at = [&](std::int64_t step, bool forward) {
        const std::int64_t round = step / (group * chunks);
        const std::int64_t inRound = step % (group * chunks);
        const std::int64_t width = std::min(group, count - round * group);
        const std::int64_t chunk = inRound / width;
        return PipelineAction{forward,
                              static_cast<int>(forward ? chunk : chunks - 1 - chunk),
                              round * group + inRound % width};
    };
    const std::int64_t ahead = std::min(total, warmUp);
    std::vector<PipelineAction> order;
    for (std::int64_t step = 0; step < ahead; ++step) {
        order.push_back(at(step, true));
    }
    for (std::int64_t step = 0; step < total; ++step) {
        if (ahead + step < total) {
            order.push_back(at(ahead + step, true));
        }
        order.push_back(at(step, false));
    }
    return order;
}

Error notModelled(std::string why, std::string hint) {
    return {Error::Code::Unsupported, "layout.schedule", std::move(why), std::move(hint)};
}

/// Schedules that deal several chunks to a rank in rounds.
Result<PipelineOrder> chunkedOrder(const Layout& layout, std::int64_t stage, std::int64_t count) {
    const std::int64_t group = layout.scheduleGroup > 0 ? layout.scheduleGroup : layout.pp;
    const std::int64_t after = layout.pp - stage - 1;
    if (layout.schedule == ScheduleKind::LoopedBfs) {  // every chunk's forwards before any backward
        const std::int64_t walked = std::min(count, kMostWalked);
        return PipelineOrder{interleaved(layout, walked * layout.vpp, walked, walked),
                             (count - walked) * layout.vpp};
    }
    const std::int64_t warmUp = 2 * after + (layout.vpp - 1) * group;
    return PipelineOrder{interleaved(layout, warmUp, std::min(count, 3 * group), group)};
}

}  // namespace

Result<PipelineOrder> pipelineOrder(const Scenario& scenario, std::int64_t stage) {
    const Layout& layout = scenario.layout;
    const std::int64_t count = std::max<std::int64_t>(1, scenario.microBatches());
    if (layout.pp == 1) {  // gradients of one earlier micro-step are enough
        return PipelineOrder{oneFOneB(0, std::min<std::int64_t>(count, 2))};
    }
    if (isFolded(layout.schedule) && layout.vpp != 2) {
        return tl::unexpected(
            notModelled("a folded schedule has two chunks on every rank", "vpp=2"));
    }
    switch (layout.schedule) {
        case ScheduleKind::Gpipe:
            return oneChunk(count, count);
        case ScheduleKind::None:
        case ScheduleKind::OneFOneB:
            return oneChunk(layout.pp - stage, count);
        case ScheduleKind::ZbH1:  // weight gradients wait: 1F1B's worst on every rank
            return oneChunk(layout.pp, count);
        case ScheduleKind::ZbH2:
            return oneChunk(2 * layout.pp - 1, count);
        case ScheduleKind::ZbV:
        case ScheduleKind::DualPipeV:
        case ScheduleKind::DualPipe:
        case ScheduleKind::InterleavedZb:
            return asScheduled(scenario, stage, count);
        case ScheduleKind::Interleaved:
        case ScheduleKind::LoopedBfs:
            return chunkedOrder(layout, stage, count);
        case ScheduleKind::VHalf:
        case ScheduleKind::VMin:
            break;
    }
    return tl::unexpected(
        notModelled("memory of V-Half and V-Min is not modelled yet", "use zbv, or 1f1b"));
}

/// Torch's stages hold what they have sent of every microbatch; schedules that run all forwards
/// first hold what all of them keep.
std::int64_t microBatchesSeen(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const Engine engine = scenario.settings.engine;
    const std::int64_t count = std::max<std::int64_t>(1, scenario.microBatches());
    const bool holdsAll = layout.schedule == ScheduleKind::Gpipe ||
                          layout.schedule == ScheduleKind::LoopedBfs ||
                          (engine != Engine::Megatron && engine != Engine::DeepSpeed);
    const bool seesAll = layout.pp > 1 && holdsAll;
    return seesAll ? count : std::min(count, 3 * std::max(layout.scheduleGroup, layout.pp));
}

PipelineOrder walkOrder(const StageActions& actions) {
    const std::map<std::int32_t, int> chunks = chunksOf(actions);
    PipelineOrder order;
    for (const StageAction& action : actions) {
        if (action.pass != Pass::InputGradient) {
            order.actions.push_back(
                {action.pass == Pass::Forward, chunks.at(action.stage), action.microBatch});
        }
    }
    return order;
}

std::int64_t mostInFlight(const PipelineOrder& order) {
    std::int64_t alive = 0;
    std::int64_t most = 0;
    for (const PipelineAction& action : order.actions) {
        alive += action.forward ? 1 : -1;
        most = std::max(most, alive);
    }
    return most + order.held;
}

}  // namespace fabricast
