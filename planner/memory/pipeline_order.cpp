#include "planner/memory/pipeline_order.h"

#include <algorithm>

namespace fabricast {

namespace {

/// A GPipe rank holds all its microbatches; more than these are alike.
constexpr std::int64_t kMostGpipeWalked = 8;

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

/// Microbatches go through the chunks in groups; the warm-up is 2(p-r-1) + (v-1)·group chunks.
std::vector<PipelineAction> interleaved(const Layout& layout,
                                        std::int64_t stage,
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
    const std::int64_t warmUp = std::min(total, 2 * (layout.pp - stage - 1) + (chunks - 1) * group);
    std::vector<PipelineAction> order;
    for (std::int64_t step = 0; step < warmUp; ++step) {
        order.push_back(at(step, true));
    }
    for (std::int64_t step = 0; step < total; ++step) {
        if (warmUp + step < total) {
            order.push_back(at(warmUp + step, true));
        }
        order.push_back(at(step, false));
    }
    return order;
}

}  // namespace

Result<PipelineOrder> pipelineOrder(const Scenario& scenario, std::int64_t stage) {
    const Layout& layout = scenario.layout;
    const std::int64_t count = std::max<std::int64_t>(1, scenario.microBatches());
    if (layout.pp == 1) {  // gradients of one earlier micro-step are enough
        return PipelineOrder{oneFOneB(0, std::min<std::int64_t>(count, 2))};
    }
    switch (layout.schedule) {
        case ScheduleKind::Gpipe: {
            const std::int64_t walked = std::min(count, kMostGpipeWalked);
            return PipelineOrder{oneFOneB(walked, walked), count - walked};
        }
        case ScheduleKind::None:
        case ScheduleKind::OneFOneB: {
            const std::int64_t warmUp = layout.pp - stage - 1;
            return PipelineOrder{oneFOneB(warmUp, std::min(count, warmUp + 2))};
        }
        case ScheduleKind::Interleaved: {
            const std::int64_t group = layout.scheduleGroup > 0 ? layout.scheduleGroup : layout.pp;
            return PipelineOrder{interleaved(layout, stage, std::min(count, 3 * group), group)};
        }
        default:
            break;
    }
    return fail(Error::Code::Unsupported,
                "layout.schedule",
                "memory of this pipeline schedule is not modelled yet",
                "use gpipe, 1f1b or interleaved");
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
