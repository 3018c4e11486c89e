#include "planner/comm/expert_calls.h"

namespace fabricast {

Calls expertExchange(const StageView& view,
                     const ChunkView& chunk,
                     const std::optional<RoutingCall>& routing,
                     std::int64_t rows) {
    CommCall call{.group = GroupKind::Expert,
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
        if (phase != CommPhase::Backward && routing) {
            call.op = routing->op;
            call.use = CommUse::Routing;
            call.type = routing->type;
            call.elements = routing->elements;
            call.each = 1;
            add(calls, call);
        }
        call.op = CommOp::AllToAll;
        call.use = CommUse::Dispatch;
        call.type = view.compute;
        call.elements = rows;
        call.each = 2;
        add(calls, call);
    }
    return calls;
}

}  // namespace fabricast
