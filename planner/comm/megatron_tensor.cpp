#include "planner/comm/engine_calls.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

/// Calls over the tensor parallel group on the activations of a microbatch.
class TensorGroup {
public:
    TensorGroup(const StageView& view, const ChunkView& chunk) : view_(view), chunk_(chunk) {}

    struct Kind {
        CommPhase phase = CommPhase::Forward;
        CommOp op = CommOp::AllReduce;
        CommUse use = CommUse::Activation;
    };
    void call(Kind kind, CommPlace place, const LayerKind& layers, std::int64_t width) {
        add(calls_,
            {.group = GroupKind::Tensor,
             .op = kind.op,
             .type = view_.compute,
             .phase = kind.phase,
             .use = kind.use,
             .place = place,
             .sparse = layers.sparse,
             .chunk = chunk_.index,
             .elements = view_.shape.tokens * width,
             .parts = layers.count,
             .times = view_.microBatches});
    }
    [[nodiscard]] Calls take() { return std::move(calls_); }

private:
    const StageView& view_;
    const ChunkView& chunk_;
    Calls calls_;
};

/// A column-parallel product and the row-parallel one after it: attention, or the MLP (of layers
/// with experts, the shared ones). Under sequence parallelism backward gathers the input once more
/// for the weight's gradient.
void addPair(TensorGroup& out,
             const StageView& view,
             CommPlace place,
             const LayerKind& layers,
             std::int64_t recomputed) {
    using enum CommPhase;
    const std::int64_t width = view.model().hidden;
    LayerKind again = layers;
    again.count = recomputed;
    if (!view.shape.sp) {
        out.call({Forward, CommOp::AllReduce}, place, layers, width);
        out.call({Backward, CommOp::AllReduce}, place, layers, width);
        out.call({Recompute, CommOp::AllReduce}, place, again, width);
        return;
    }
    out.call({Forward, CommOp::AllGather}, place, layers, width);
    out.call({Forward, CommOp::ReduceScatter}, place, layers, width);
    out.call({Backward, CommOp::AllGather}, place, layers, width);
    out.call({Backward, CommOp::AllGather, CommUse::InputRegather}, place, layers, width);
    out.call({Backward, CommOp::ReduceScatter}, place, layers, width);
    out.call({Recompute, CommOp::AllGather}, place, again, width);
    out.call({Recompute, CommOp::ReduceScatter}, place, again, width);
}

/// Tokens are embedded by the first chunk, and for each prediction further on by the last.
void addEmbedding(TensorGroup& out, const StageView& view, std::int64_t count) {
    using enum CommPhase;
    const LayerKind tables{.count = count};
    const std::int64_t width = view.model().hidden;
    const CommOp sum = view.shape.sp ? CommOp::ReduceScatter : CommOp::AllReduce;
    out.call({Forward, sum}, CommPlace::Embedding, tables, width);
    if (view.shape.sp) {
        out.call({Backward, CommOp::AllGather}, CommPlace::Embedding, tables, width);
    }
}

void addHead(TensorGroup& out, const StageView& view, std::int64_t count) {
    using enum CommPhase;
    const LayerKind heads{.count = count};
    const std::int64_t width = view.model().hidden;
    if (!view.shape.sp) {
        out.call({Backward, CommOp::AllReduce}, CommPlace::Head, heads, width);
        return;
    }
    out.call({Forward, CommOp::AllGather}, CommPlace::Head, heads, width);
    out.call({Backward, CommOp::AllGather, CommUse::InputRegather}, CommPlace::Head, heads, width);
    out.call({Backward, CommOp::ReduceScatter}, CommPlace::Head, heads, width);
}

/// A prediction joins two inputs by a column-parallel product whose output is gathered.
void addJoin(TensorGroup& out, const StageView& view, std::int64_t count) {
    using enum CommPhase;
    const LayerKind joins{.count = count};
    const std::int64_t width = view.model().hidden;
    if (view.shape.sp) {
        out.call({Forward, CommOp::AllGather}, CommPlace::Head, joins, 2 * width);
        out.call({Backward, CommOp::ReduceScatter}, CommPlace::Head, joins, 2 * width);
    } else {
        out.call({Backward, CommOp::AllReduce}, CommPlace::Head, joins, 2 * width);
    }
    out.call({Forward, CommOp::AllGather}, CommPlace::Head, joins, width);
}

void addEnds(TensorGroup& out, const StageView& view, const ChunkView& chunk) {
    if (chunk.first) {
        addEmbedding(out, view, 1);
    }
    if (chunk.last) {
        addHead(out, view, 1 + chunk.predictions);
    }
    if (chunk.predictions > 0) {
        addEmbedding(out, view, chunk.predictions);
        addJoin(out, view, chunk.predictions);
    }
}

/// Fewer key and value heads than ranks: the fused q, k, v of all of them are gathered, and split.
void addSharedHeads(TensorGroup& out, const StageView& view, const LayerKind& layers) {
    using enum CommPhase;
    const AttentionSpec& attention = view.model().attention;
    if (attention.kind != AttentionKind::Grouped || attention.kvHeads >= view.layout().tp) {
        return;
    }
    const std::int64_t width = (attention.heads + 2 * attention.kvHeads) * attention.headDim;
    LayerKind again = layers;
    again.count = megatronRecomputed(view, layers, "");
    out.call({Forward, CommOp::AllGather}, CommPlace::Attention, layers, width);
    out.call({Recompute, CommOp::AllGather}, CommPlace::Attention, again, width);
    out.call({Backward, CommOp::ReduceScatter}, CommPlace::Attention, layers, width);
}

/// Cross entropy reduces even in a group of one: maximum, the label's logit, sum; fused, the last
/// two are one.
void addLoss(Calls& calls, const StageView& view, const ChunkView& chunk) {
    const bool fused = view.settings().kernels.loss == LossKernel::Fused;
    CommCall loss{.group = GroupKind::Tensor,
                  .type = WireType::Fp32,
                  .phase = CommPhase::Forward,
                  .use = CommUse::Loss,
                  .place = CommPlace::Head,
                  .chunk = chunk.index,
                  .elements = view.shape.tokens,
                  .each = fused ? 1 : 3,
                  .parts = 1 + chunk.predictions,
                  .times = view.microBatches};
    add(calls, loss);
    if (fused) {
        loss.elements *= 2;
        add(calls, loss);
    }
}

}  // namespace

std::int64_t megatronRecomputed(const StageView& view, const LayerKind& kind, const char* module) {
    const RecomputeSettings& recompute = view.settings().recompute;
    switch (recompute.kind) {
        case Checkpointing::None:
            return 0;
        case Checkpointing::Full:
        case Checkpointing::Selective:
            return kind.count;
        case Checkpointing::Block:
            return kind.count - kind.plain;
        case Checkpointing::Modules:
            return recompute.modules.contains(module) ? kind.count : 0;
    }
    return 0;
}

Calls megatronTensorCalls(const StageView& view, const ChunkView& chunk) {
    Calls calls;
    if (view.layout().tp > 1) {
        TensorGroup group(view, chunk);
        for (const LayerKind& kind : view.kinds(chunk)) {
            addPair(group, view, CommPlace::Attention, kind, megatronRecomputed(view, kind, ""));
            if (!kind.sparse || view.model().moe->sharedWidth > 0) {
                const std::int64_t again = std::max(
                    megatronRecomputed(view, kind, kind.sparse ? "moe" : "mlp"),
                    megatronRecomputed(view, kind, kind.sparse ? "shared_experts" : "mlp"));
                addPair(group, view, CommPlace::Mlp, kind, again);
            }
            addSharedHeads(group, view, kind);
        }
        addEnds(group, view, chunk);
        calls = group.take();
    }
    if (chunk.last) {
        addLoss(calls, view, chunk);
    }
    return calls;
}

}  // namespace fabricast
