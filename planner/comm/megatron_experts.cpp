#include "planner/comm/engine_calls.h"

#include <algorithm>

namespace fabricast {
namespace {

/// The expert layers of a chunk in one phase.
struct ExpertPhase {
    CommPhase phase = CommPhase::Forward;
    std::int64_t layers = 0;
};

class ExpertCalls {
public:
    ExpertCalls(const StageView& view, const ChunkView& chunk) : view_(view), chunk_(chunk) {}

    void call(ExpertPhase phase, GroupKind group, CommOp op, CommCall what) {
        what.group = group;
        what.op = op;
        what.phase = phase.phase;
        what.place = CommPlace::Experts;
        what.sparse = true;
        what.chunk = chunk_.index;
        what.parts = phase.layers;
        what.times = view_.microBatches;
        add(calls_, what);
    }
    /// Tokens, or one number for each of them.
    [[nodiscard]] CommCall rows(std::int64_t elements, std::int64_t each = 1) const {
        return {
            .type = view_.compute, .use = CommUse::Dispatch, .elements = elements, .each = each};
    }
    [[nodiscard]] Calls take() { return std::move(calls_); }

private:
    const StageView& view_;
    const ChunkView& chunk_;
    Calls calls_;
};

CommCall counts(WireType type, std::int64_t elements) {
    return {.type = type, .use = CommUse::Routing, .elements = elements};
}

// Balancing losses count tokens over tp · cp where gradients are recorded: layers that are computed
// again do so the second time only.
void addBalance(ExpertCalls& out, const StageView& view, ExpertPhase phase) {
    const Layout& layout = view.layout();
    if (view.settings().kernels.auxLoss != AuxLoss::None && layout.tp * layout.cp > 1) {
        out.call(phase,
                 GroupKind::TensorContext,
                 CommOp::AllReduce,
                 counts(WireType::Int64, view.model().moe->experts));
    }
}

// Counts are known before anything is sent.
void addRouting(ExpertCalls& out, const StageView& view, ExpertPhase phase) {
    const Layout& layout = view.layout();
    const std::int64_t experts = view.model().moe->experts;
    const std::int64_t ranks = layout.ep * layout.etp;
    if (ranks == 1) {
        return;
    }
    const bool everywhere = view.settings().kernels.dispatcher == Dispatcher::AllGather;
    out.call(phase,
             GroupKind::ExpertTensorExpert,
             CommOp::AllGather,
             everywhere ? counts(WireType::Bool, view.shape.localTokens * ranks * experts)
                        : counts(WireType::Int64, experts * ranks));
}

// alltoall: hidden rows out and back, and their probabilities out. With expert tensor parallelism
// the rows of its ranks are gathered before the experts and their sums scattered after.
void addAllToAll(ExpertCalls& out, const StageView& view, ExpertPhase phase) {
    const Layout& layout = view.layout();
    const std::int64_t rows = view.shape.localTokens * view.model().moe->topK;
    const std::int64_t hidden = rows * view.model().hidden;
    if (layout.ep > 1) {
        out.call(phase, GroupKind::Expert, CommOp::AllToAll, out.rows(hidden, 2));
        out.call(phase, GroupKind::Expert, CommOp::AllToAll, out.rows(rows));
    }
    if (layout.etp > 1) {
        const bool backward = phase.phase == CommPhase::Backward;
        const CommOp before = backward ? CommOp::ReduceScatterList : CommOp::AllGatherList;
        const CommOp after = backward ? CommOp::AllGatherList : CommOp::ReduceScatterList;
        out.call(phase, GroupKind::ExpertTensor, before, out.rows(hidden * layout.etp));
        out.call(phase, GroupKind::ExpertTensor, before, out.rows(rows * layout.etp));
        out.call(phase, GroupKind::ExpertTensor, after, out.rows(hidden * layout.etp));
    }
}

// allgather: every rank gets every token and its probabilities, and sums are scattered.
void addTokenGather(ExpertCalls& out, const StageView& view, ExpertPhase phase) {
    const Layout& layout = view.layout();
    const std::int64_t everyone = view.shape.localTokens * layout.ep * layout.etp;
    if (layout.ep * layout.etp == 1) {
        return;
    }
    const bool backward = phase.phase == CommPhase::Backward;
    const CommOp before = backward ? CommOp::ReduceScatter : CommOp::AllGather;
    const CommOp after = backward ? CommOp::AllGather : CommOp::ReduceScatter;
    const GroupKind group = GroupKind::ExpertTensorExpert;
    out.call(phase, group, before, out.rows(everyone * view.model().hidden));
    out.call(phase, group, before, out.rows(everyone * view.model().moe->experts));
    out.call(phase, group, after, out.rows(everyone * view.model().hidden));
}

}  // namespace

Calls megatronExpertCalls(const StageView& view, const ChunkView& chunk) {
    LayerKind kind;
    for (const LayerKind& each : view.kinds(chunk)) {
        kind = each.sparse ? each : kind;
    }
    if (!view.model().moe || !kind.sparse) {
        return {};
    }
    const ExpertPhase forward{.phase = CommPhase::Forward, .layers = kind.count};
    const ExpertPhase again{.phase = CommPhase::Recompute,
                            .layers = megatronRecomputed(view, kind, "moe")};
    const ExpertPhase backward{.phase = CommPhase::Backward, .layers = kind.count};
    ExpertCalls out(view, chunk);
    addBalance(out, view, {.phase = CommPhase::Forward, .layers = forward.layers - again.layers});
    addBalance(out, view, again);
    for (const ExpertPhase& phase : {forward, again}) {
        addRouting(out, view, phase);
    }
    for (const ExpertPhase& phase : {forward, again, backward}) {
        if (view.settings().kernels.dispatcher == Dispatcher::AllToAll) {
            addAllToAll(out, view, phase);
        } else {
            addTokenGather(out, view, phase);
        }
    }
    return out.take();
}

}  // namespace fabricast
