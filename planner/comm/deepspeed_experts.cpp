#include "planner/comm/torch_regions.h"
#include "planner/ops/deepspeed_moe.h"

namespace fabricast {

Calls deepspeedExpertCalls(const StageView& view, const ChunkView& chunk) {
    if (view.layout().ep == 1) {
        return {};
    }
    const MoeSpec& moe = *view.model().moe;
    const bool drops = view.settings().kernels.capacityFactor > 0;
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
        if (phase != CommPhase::Backward && !drops) {
            call.op = CommOp::AllReduce;
            call.use = CommUse::Routing;
            call.type = WireType::Int64;
            call.elements = 1;
            call.each = 1;
            add(calls, call);
        }
        call.op = CommOp::AllToAll;
        call.use = CommUse::Dispatch;
        call.type = view.compute;
        call.elements = moe.experts * deepspeedCapacity(*view.scenario) * view.model().hidden;
        call.each = 2;
        add(calls, call);
    }
    return calls;
}

}  // namespace fabricast
