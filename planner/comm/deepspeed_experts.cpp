#include "planner/comm/expert_calls.h"
#include "planner/comm/torch_regions.h"
#include "planner/ops/expert_layers.h"

namespace fabricast {

Calls deepspeedExpertCalls(const StageView& view, const ChunkView& chunk) {
    if (view.layout().ep == 1) {
        return {};
    }
    const bool drops = view.settings().kernels.capacityFactor > 0;
    const std::int64_t rows = view.model().moe->experts * deepspeedCapacity(*view.scenario);
    return expertExchange(
        view,
        chunk,
        drops ? std::nullopt : std::optional(RoutingCall{.op = CommOp::AllReduce}),
        rows * view.model().hidden);
}

}  // namespace fabricast
