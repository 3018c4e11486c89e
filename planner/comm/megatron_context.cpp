#include "planner/comm/engine_calls.h"

#include <utility>

namespace fabricast {
namespace {

/// What Transformer Engine's attention sends over context parallel ranks, in one kind of layer.
/// Read in its code: the frameworks were recorded with attention of their own.
class ContextGroup {
public:
    ContextGroup(const StageView& view, const ChunkView& chunk, LayerKind kind)
        : view_(view), chunk_(chunk), kind_(kind) {}

    void call(CommPhase phase, CommOp op, std::int64_t elements, std::int64_t each = 1) {
        callOver(GroupKind::Context, phase, op, elements, each);
    }
    void callOver(
        GroupKind group, CommPhase phase, CommOp op, std::int64_t elements, std::int64_t each) {
        const std::int64_t layers = phase == CommPhase::Recompute
                                        ? megatronRecomputed(view_, kind_, "core_attn")
                                        : kind_.count;
        add(calls_,
            {.group = group,
             .op = op,
             .type = view_.compute,
             .phase = phase,
             .use = CommUse::KeyValue,
             .place = CommPlace::Attention,
             .source = CallSource::Read,
             .sparse = kind_.sparse,
             .chunk = chunk_.index,
             .elements = elements,
             .each = each,
             .parts = layers,
             .times = view_.microBatches});
    }
    [[nodiscard]] Calls take() { return std::move(calls_); }

private:
    const StageView& view_;
    const ChunkView& chunk_;
    LayerKind kind_;
    Calls calls_;
};

struct HeadSizes {
    std::int64_t query = 0;  ///< elements of this rank's tokens
    std::int64_t key = 0;
    std::int64_t value = 0;
    std::int64_t output = 0;
};

HeadSizes headSizes(const StageView& view) {
    const AttentionSpec& attention = view.model().attention;
    const bool latent = attention.kind == AttentionKind::Latent;
    const std::int64_t heads = view.shape.heads;
    const std::int64_t groups = latent ? heads : view.shape.kvHeads;
    const std::int64_t tokens = view.shape.tokens;
    return {.query = tokens * heads * attention.keyDim(),
            .key = tokens * groups * attention.keyDim(),
            .value = tokens * groups * attention.valueDim(),
            .output = tokens * heads * attention.valueDim()};
}

struct Ring {
    GroupKind group = GroupKind::Context;
    std::int64_t ranks = 1;
};

// p2p: keys and values go round the ring in one message a step; in backward their gradients go
// round too, one step behind.
void addRing(ContextGroup& out, const HeadSizes& sizes, Ring ring) {
    const std::int64_t pair = sizes.key + sizes.value;
    for (const CommOp op : {CommOp::Send, CommOp::Recv}) {
        out.callOver(ring.group, CommPhase::Forward, op, pair, ring.ranks - 1);
        out.callOver(ring.group, CommPhase::Recompute, op, pair, ring.ranks - 1);
        out.callOver(ring.group, CommPhase::Backward, op, pair, 2 * (ring.ranks - 1));
    }
}

void addKeyValueGather(ContextGroup& out, const HeadSizes& sizes, std::int64_t ranks) {
    for (const std::int64_t elements : {sizes.key, sizes.value}) {
        out.call(CommPhase::Forward, CommOp::AllGather, elements * ranks);
        out.call(CommPhase::Recompute, CommOp::AllGather, elements * ranks);
        out.call(CommPhase::Backward, CommOp::AllGather, elements * ranks);
        out.call(CommPhase::Backward, CommOp::ReduceScatter, elements * ranks);
    }
}

// a2a: heads for tokens and back.
void addUlysses(ContextGroup& out, const HeadSizes& sizes, GroupKind group) {
    for (const CommPhase phase : {CommPhase::Forward, CommPhase::Recompute, CommPhase::Backward}) {
        for (const std::int64_t elements : {sizes.query, sizes.key, sizes.value, sizes.output}) {
            out.callOver(group, phase, CommOp::AllToAll, elements, 1);
        }
    }
}

// a2a+p2p: heads are exchanged between neighbours; what a rank then has of the keys, its heads of
// all their tokens, goes round the ring of the others.
void addHierarchical(ContextGroup& out, const HeadSizes& sizes, const Layout& layout) {
    const std::int64_t inner = contextInner(layout);
    if (inner > 1) {
        addUlysses(out, sizes, GroupKind::ContextInner);
    }
    addRing(out, sizes, {.group = GroupKind::ContextOuter, .ranks = layout.cp / inner});
}

}  // namespace

Calls megatronContextCalls(const StageView& view, const ChunkView& chunk) {
    const Layout& layout = view.layout();
    if (layout.cp == 1 || view.settings().kernels.code != ModelCode::TransformerEngine) {
        return {};
    }
    Calls calls;
    const HeadSizes sizes = headSizes(view);
    for (const LayerKind& kind : view.kinds(chunk)) {
        ContextGroup group(view, chunk, kind);
        if (layout.cpKind == CpKind::AllGather) {
            addKeyValueGather(group, sizes, layout.cp);
        } else if (layout.cpKind == CpKind::Ulysses) {
            addUlysses(group, sizes, GroupKind::Context);
        } else if (layout.cpKind == CpKind::Hierarchical) {
            addHierarchical(group, sizes, layout);
        } else {
            addRing(group, sizes, {.ranks = layout.cp});
        }
        append(calls, group.take());
    }
    return calls;
}

}  // namespace fabricast
