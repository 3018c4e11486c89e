#include "planner/memory/make_boundary.h"

#include "planner/memory/megatron_interleaved.h"

#include <algorithm>

namespace fabricast {

std::unique_ptr<StageBoundary> makeBoundary(const Scenario& scenario,
                                            Device& device,
                                            const StageProgram& program,
                                            const PipelineOrder& order,
                                            std::int64_t stage) {
    const Layout& layout = scenario.layout;
    if (scenario.settings.engine != Engine::Megatron || layout.pp == 1) {
        return std::make_unique<TorchBoundary>(device, program);
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
