#include "planner/memory/engines/megatron/megatron_interleaved.h"
#include "planner/memory/engines/torch/receives.h"
#include "planner/memory/engines/torch/torch_boundary.h"
#include "planner/memory/make_engines.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace fabricast {

namespace {

/// What every stage runs.
std::vector<PipelineOrder> ordersOf(const Scenario& scenario, const PipelineOrder& mine) {
    std::vector<PipelineOrder> orders;
    for (std::int64_t stage = 0; stage < scenario.layout.pp; ++stage) {
        const auto other = pipelineOrder(scenario, stage);
        orders.push_back(other ? *other : mine);
    }
    return orders;
}

/// torch's schedules; folded ones hand tensors over within a rank, which is what passes own.
std::unique_ptr<StageBoundary> makeTorchBoundary(const Scenario& scenario,
                                                 Device& device,
                                                 const StageProgram& program,
                                                 const PipelineOrder& order,
                                                 std::int64_t stage,
                                                 const std::vector<PipelineOrder>* orders) {
    const Layout& layout = scenario.layout;
    TorchBoundary::Options options;
    switch (layout.schedule) {
        case ScheduleKind::None:
        case ScheduleKind::OneFOneB:
            break;
        case ScheduleKind::Gpipe:
            options.sends = TorchSends::Gpipe;
            break;
        case ScheduleKind::Interleaved:
            options.sends = TorchSends::Runtime;
            options.receives = receiveOrder(
                layout, orders == nullptr ? ordersOf(scenario, order) : *orders, stage);
            break;
        case ScheduleKind::InterleavedZb:
        case ScheduleKind::LoopedBfs:
            options.sends = TorchSends::Runtime;
            break;
        default:
            return std::make_unique<PassBoundary>(device, program);
    }
    const auto passes = static_cast<std::int64_t>(order.actions.size()) / 2 + order.held;
    options.further = std::max<std::int64_t>(0, scenario.microBatches() - passes / layout.vpp);
    return std::make_unique<TorchBoundary>(device, program, std::move(options));
}

}  // namespace

std::unique_ptr<StageBoundary> makeBoundary(const Scenario& scenario,
                                            Device& device,
                                            const StageProgram& program,
                                            const PipelineOrder& order,
                                            std::int64_t stage,
                                            const std::vector<PipelineOrder>* orders) {
    const Layout& layout = scenario.layout;
    const Engine engine = scenario.settings.engine;
    if (layout.pp == 1 || engine == Engine::DeepSpeed) {
        return std::make_unique<PassBoundary>(device, program);
    }
    if (engine != Engine::Megatron) {
        return makeTorchBoundary(scenario, device, program, order, stage, orders);
    }
    MegatronBoundary::Options options;
    options.freesOutputs = scenario.settings.kernels.deallocatePipelineOutputs;
    const auto firstBackward =
        std::find_if(order.actions.begin(), order.actions.end(), [](const PipelineAction& action) {
            return !action.forward;
        });
    const auto leading = static_cast<std::int64_t>(firstBackward - order.actions.begin());
    const auto total = static_cast<std::int64_t>(order.actions.size()) / 2;
    // The last forward before the first backward is paired with it, unless all come before.
    options.warmUp = leading == total ? total : leading - 1;
    if (layout.vpp == 1) {
        return std::make_unique<OneFOneBBoundary>(device, program, options);
    }
    return std::make_unique<InterleavedBoundary>(
        device,
        program,
        order,
        InterleavedBoundary::Place{.stage = stage, .stages = layout.pp, .options = options});
}

}  // namespace fabricast
