#include "planner/comm/expert_calls.h"
#include "planner/comm/torch_regions.h"
#include "planner/ops/expert_layers.h"

namespace fabricast {

Calls autoEpCalls(const StageView& view, const ChunkView& chunk) {
    if (view.layout().ep == 1) {
        return {};
    }
    const RoutingCall counts{.type = WireType::Int32, .elements = view.model().moe->experts};
    return expertExchange(
        view, chunk, counts, autoEpRows(*view.scenario).sent * view.model().hidden);
}

}  // namespace fabricast
