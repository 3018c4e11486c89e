#include "planner/comm/torch_regions.h"
#include "planner/ops/autoep_moe.h"

namespace fabricast {

Calls autoEpCalls(const StageView& view, const ChunkView& chunk) {
    if (view.layout().ep == 1) {
        return {};
    }
    CommCall call{.group = GroupKind::Expert,
                  .op = CommOp::AllToAll,
                  .place = CommPlace::Experts,
                  .sparse = true,
                  .chunk = chunk.index,
                  .parts = chunk.sparse,
                  .times = view.microBatches};
    Calls calls;
    for (const CommPhase phase : {CommPhase::Forward, CommPhase::Recompute, CommPhase::Backward}) {
        if (phase == CommPhase::Recompute && !view.recomputes()) {
            continue;
        }
        call.phase = phase;
        if (phase != CommPhase::Backward) {
            call.use = CommUse::Routing;
            call.type = WireType::Int32;
            call.elements = view.model().moe->experts;
            call.each = 1;
            add(calls, call);
        }
        call.use = CommUse::Dispatch;
        call.type = view.compute;
        call.elements = autoEpRows(*view.scenario).sent * view.model().hidden;
        call.each = 2;
        add(calls, call);
    }
    return calls;
}

}  // namespace fabricast
