#include "planner/base/integers.h"
#include "planner/comm/engine_calls.h"
#include "planner/sharding/rank_tensors.h"

#include <utility>

namespace fabricast {
namespace {

bool isFull(const StageView& view) {
    return view.settings().torch.backend == TitanBackend::FullDTensor;
}

/// Calls over the tensor parallel group on the activations of a microbatch, T · h each.
class Activations {
public:
    Activations(const StageView& view, const ChunkView& chunk) : view_(view), chunk_(chunk) {}

    void call(CommPhase phase, CommOp op, CommPlace place, const LayerKind& layers) {
        make(phase, op, place, layers, view_.shape.tokens);
    }
    /// DTensor scatters whole sequences over the first dimension that has enough rows, padded.
    void scattered(CommOp op, CommPlace place, const LayerKind& layers) {
        const RankShape& shape = view_.shape;
        const std::int64_t tokens = shape.batch >= shape.tp
                                        ? roundUp(shape.batch, shape.tp) * shape.sequence
                                        : shape.batch * roundUp(shape.sequence, shape.tp);
        make(CommPhase::Backward, op, place, layers, tokens);
    }
    [[nodiscard]] Calls take() { return std::move(calls_); }

private:
    void make(
        CommPhase phase, CommOp op, CommPlace place, const LayerKind& layers, std::int64_t tokens) {
        add(calls_,
            {.group = GroupKind::Tensor,
             .op = op,
             .type = view_.compute,
             .phase = phase,
             .use = CommUse::Activation,
             .place = place,
             .sparse = layers.sparse,
             .chunk = chunk_.index,
             .elements = tokens * view_.model().hidden,
             .parts = layers.count,
             .times = view_.microBatches});
    }

    const StageView& view_;
    const ChunkView& chunk_;
    Calls calls_;
};

/// Without expert parallelism the routed experts are tensor parallel too: one more partial sum,
/// which DTensor adds to the shared experts' before it is reduced.
bool sumsExperts(const StageView& view, const LayerKind& kind) {
    const bool apart = view.shape.sp || view.settings().torch.backend == TitanBackend::SpmdTypes;
    return kind.sparse && view.layout().ep == 1 && apart;
}

// Sequence parallel: each of attention and MLP gathers its input and scatters its sum; the
// embedding scatters, the head gathers. Backward is the mirror image: inputs are not gathered
// again.
void sequenceCalls(Activations& out, const StageView& view, const LayerKind& kind) {
    using enum CommPhase;
    const bool scatters = titanRepeatsScatters(view);
    for (const CommPlace place : {CommPlace::Attention, CommPlace::Mlp}) {
        for (const CommPhase phase : {Forward, Backward}) {
            out.call(phase, CommOp::AllGather, place, kind);
            out.call(phase, CommOp::ReduceScatter, place, kind);
        }
        if (view.recomputes()) {
            out.call(Recompute, CommOp::AllGather, place, kind);
        }
        if (scatters) {
            out.call(Recompute, CommOp::ReduceScatter, place, kind);
        }
    }
    if (sumsExperts(view, kind)) {
        out.call(Forward, CommOp::ReduceScatter, CommPlace::Experts, kind);
        out.call(Backward, CommOp::AllGather, CommPlace::Experts, kind);
        if (scatters) {
            out.call(Recompute, CommOp::ReduceScatter, CommPlace::Experts, kind);
        }
    }
}

// Whole sequences: sums are all-reduced. Under expert parallelism each rank still dispatches its
// share of the tokens, which backward puts together again.
void wholeSequenceCalls(Activations& out, const StageView& view, const LayerKind& kind) {
    using enum CommPhase;
    for (const CommPlace place : {CommPlace::Attention, CommPlace::Mlp}) {
        out.call(Forward, CommOp::AllReduce, place, kind);
        if (isFull(view)) {
            out.scattered(CommOp::ReduceScatter, place, kind);
            out.scattered(CommOp::AllGather, place, kind);
        } else {
            out.call(Backward, CommOp::AllReduce, place, kind);
        }
        if (view.recomputes()) {
            out.call(Recompute, CommOp::AllReduce, place, kind);
        }
    }
    if (sumsExperts(view, kind)) {
        out.call(Forward, CommOp::AllReduce, CommPlace::Experts, kind);
        if (view.recomputes()) {
            out.call(Recompute, CommOp::AllReduce, CommPlace::Experts, kind);
        }
    } else if (kind.sparse && view.layout().ep > 1) {
        out.call(Backward, CommOp::AllGather, CommPlace::Experts, kind);
        out.call(Backward, CommOp::AllGather, CommPlace::Experts, kind);
    }
}

void endCalls(Activations& out, const StageView& view, const ChunkView& chunk) {
    using enum CommPhase;
    const LayerKind one{.count = 1};
    const bool sp = view.shape.sp;
    if (chunk.first) {
        out.call(
            Forward, sp ? CommOp::ReduceScatter : CommOp::AllReduce, CommPlace::Embedding, one);
        if (sp) {
            out.call(Backward, CommOp::AllGather, CommPlace::Embedding, one);
        }
    }
    if (!chunk.last) {
        return;
    }
    if (sp) {
        out.call(Forward, CommOp::AllGather, CommPlace::Head, one);
        out.call(Backward, CommOp::ReduceScatter, CommPlace::Head, one);
    } else if (isFull(view)) {
        out.scattered(CommOp::ReduceScatter, CommPlace::Head, one);
        out.scattered(CommOp::AllGather, CommPlace::Head, one);
    } else {
        out.call(Backward, CommOp::AllReduce, CommPlace::Head, one);
    }
}

/// Cross entropy over a split vocabulary: maximum, the label's logit, sum; of each chunk.
CommCall lossCall(const StageView& view, const ChunkView& chunk) {
    const KernelSettings& kernels = view.settings().kernels;
    const std::int64_t chunks = kernels.loss == LossKernel::Chunked ? kernels.lossChunks : 1;
    return {.group = GroupKind::Tensor,
            .type = WireType::Fp32,
            .use = CommUse::Loss,
            .place = CommPlace::Head,
            .chunk = chunk.index,
            .elements = view.shape.tokens / chunks,
            .each = 3 * chunks,
            .times = view.microBatches};
}

}  // namespace

bool titanRepeatsScatters(const StageView& view) {
    const Checkpointing kind = view.settings().recompute.kind;
    return kind == Checkpointing::Full ||
           (kind == Checkpointing::Selective &&
            view.settings().torch.backend == TitanBackend::SpmdTypes);
}

Calls titanTensorCalls(const StageView& view, const ChunkView& chunk) {
    if (view.layout().tp == 1) {
        return {};
    }
    Activations activations(view, chunk);
    for (const LayerKind& kind : view.kinds(chunk)) {
        if (view.shape.sp) {
            sequenceCalls(activations, view, kind);
        } else {
            wholeSequenceCalls(activations, view, kind);
        }
    }
    endCalls(activations, view, chunk);
    Calls calls = activations.take();
    if (chunk.last) {
        add(calls, lossCall(view, chunk));
    }
    return calls;
}

}  // namespace fabricast
