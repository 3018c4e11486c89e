#include "planner/base/integers.h"
#include "planner/comm/engine_calls.h"

namespace fabricast {
namespace {

/// Whether every rank of a tensor-parallel group holds the same whole tensor, and sends a part of
/// it.
bool scatters(const StageView& view) {
    const Layout& layout = view.layout();
    return view.settings().pipeline.scatterExchange && layout.tp > 1 && !layout.sp;
}

CommCall exchange(const StageView& view, const ChunkView& chunk, CommOp op, GroupKind group) {
    const std::int64_t whole = view.shape.localTokens * view.model().hidden;
    const bool part = scatters(view) && op != CommOp::AllGather;
    return {.group = group,
            .op = op,
            .type = view.compute,
            .phase = CommPhase::Other,
            .use = CommUse::StageExchange,
            .place = CommPlace::Boundary,
            .chunk = chunk.index,
            .elements = part ? ceilDivide(whole, view.layout().tp) : whole,
            .times = view.microBatches};
}

bool isOwn(const StageView& view, std::int64_t position) {
    for (const ChunkView& chunk : view.chunks) {
        if (chunk.position == position) {
            return true;
        }
    }
    return false;
}

}  // namespace

Calls boundaryCalls(const StageView& view, const ChunkView& chunk) {
    Calls calls;
    for (const std::int64_t neighbour : {chunk.position - 1, chunk.position + 1}) {
        const bool exists = neighbour < chunk.position ? !chunk.first : !chunk.last;
        if (exists && !(view.folded && isOwn(view, neighbour))) {
            add(calls, exchange(view, chunk, CommOp::Recv, GroupKind::Pipeline));
            add(calls, exchange(view, chunk, CommOp::Send, GroupKind::Pipeline));
        }
    }
    return calls;
}

// Two ranks that both send and receive each need two groups, so that neither waits for the other:
// even ranks receive, and odd ranks send, on the world's.
Calls megatronBoundaryCalls(const StageView& view, const ChunkView& chunk) {
    Calls calls;
    if (!view.pipelined()) {
        return calls;
    }
    const bool two = view.layout().pp == 2 && view.layout().vpp > 1;
    const bool even = view.stage % 2 == 0;
    const GroupKind receives = two && even ? GroupKind::World : GroupKind::Pipeline;
    const GroupKind sends = two && !even ? GroupKind::World : GroupKind::Pipeline;
    for (const bool end : {chunk.first, chunk.last}) {
        if (!end) {
            add(calls, exchange(view, chunk, CommOp::Recv, receives));
            add(calls, exchange(view, chunk, CommOp::Send, sends));
            if (scatters(view)) {
                add(calls, exchange(view, chunk, CommOp::AllGather, GroupKind::Tensor));
            }
        }
    }
    return calls;
}

}  // namespace fabricast
