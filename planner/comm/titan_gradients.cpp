#include "planner/comm/engine_calls.h"
#include "planner/sharding/rank_tensors.h"

#include <utility>

namespace fabricast {
namespace {

/// How the gradient of one replicated weight is summed.
class SharedGradients {
public:
    SharedGradients(const StageView& view, const ChunkView& chunk) : view_(view), chunk_(chunk) {}

    void weight(const RankTensor& tensor, const LayerKind& layers, CommPlace place) {
        call(CommOp::AllReduce, view_.reduce, tensor.elements(), layers, place);
    }
    /// Down-projections and norms of latent attention have gradients that DTensor makes from summed
    /// or scattered activations.
    void attention(const RankTensor& tensor, const LayerKind& layers) {
        if (view_.model().attention.kind != AttentionKind::Latent) {
            weight(tensor, layers, CommPlace::Attention);
            return;
        }
        const std::int64_t tokens = view_.shape.tokens;
        const std::int64_t rope = view_.model().attention.qkRopeDim;
        const TitanBackend backend = view_.settings().torch.backend;
        if (backend == TitanBackend::PartialDTensor && tensor.vector) {
            call(CommOp::AllReduce, view_.compute, tokens * tensor.rows, layers);
        } else if (backend == TitanBackend::FullDTensor && !tensor.vector) {
            const bool keys = tensor.rows == view_.model().attention.kvLoraRank + rope;
            call(CommOp::AllGather, view_.compute, tokens * tensor.rows, layers);
            call(CommOp::ReduceScatter,
                 view_.compute,
                 tokens * (keys ? tensor.rows - rope : tensor.rows),
                 layers);
            call(CommOp::ReduceScatter, view_.compute, keys ? tokens * rope : 0, layers);
        } else {
            weight(tensor, layers, CommPlace::Attention);
        }
    }
    /// Without expert parallelism DTensor sums the gradients of the chosen scores, not the
    /// weight's.
    void router(const RankTensor& tensor, const LayerKind& layers) {
        const TitanBackend backend = view_.settings().torch.backend;
        const std::int64_t chosen = view_.shape.tokens * view_.model().moe->topK;
        if (backend == TitanBackend::SpmdTypes || view_.layout().ep > 1) {
            weight(tensor, layers, CommPlace::Experts);
        } else if (backend == TitanBackend::PartialDTensor) {
            call(CommOp::AllReduce, WireType::Fp32, chosen, layers, CommPlace::Experts);
        } else {
            const std::int64_t scores = view_.shape.tokens * view_.model().moe->experts;
            call(CommOp::AllGather, WireType::Fp32, scores, layers, CommPlace::Experts);
            call(CommOp::ReduceScatter, WireType::Fp32, chosen, layers, CommPlace::Experts);
        }
    }
    [[nodiscard]] Calls take() { return std::move(calls_); }

private:
    void call(CommOp op,
              WireType type,
              std::int64_t elements,
              const LayerKind& layers,
              CommPlace place = CommPlace::Attention) {
        add(calls_,
            {.group = GroupKind::Tensor,
             .op = op,
             .type = type,
             .phase = view_.pipelined() ? CommPhase::Other : CommPhase::Backward,
             .use = CommUse::SharedGradient,
             .place = place,
             .sparse = layers.sparse,
             .chunk = chunk_.index,
             .elements = elements,
             .parts = layers.count,
             .times = view_.passes});
    }

    const StageView& view_;
    const ChunkView& chunk_;
    Calls calls_;
};

}  // namespace

// Norms see a part of the sequence each when it is split; what lies inside attention, and the
// router, always sees a part of the heads or tokens.
Calls titanSharedGradients(const StageView& view, const ChunkView& chunk) {
    if (view.layout().tp == 1) {
        return {};
    }
    const bool norms = view.shape.sp || view.settings().torch.backend == TitanBackend::FullDTensor;
    SharedGradients gradients(view, chunk);
    for (const LayerKind& kind : view.kinds(chunk)) {
        for (const RankTensor& tensor : layerTensors(view, kind.layer)) {
            if (tensor.split != Split::Replicated || !tensor.trained) {
                continue;
            }
            if (tensor.part == Part::Router) {
                gradients.router(tensor, kind);
            } else if (tensor.part == Part::Attention) {
                gradients.attention(tensor, kind);
            } else if (norms) {
                gradients.weight(tensor, kind, CommPlace::Block);
            }
        }
    }
    if (chunk.last && norms) {
        for (const RankTensor& tensor : headTensors(view)) {
            if (tensor.part == Part::Norm && tensor.trained) {
                gradients.weight(tensor, {.count = 1}, CommPlace::Head);
            }
        }
    }
    return gradients.take();
}

}  // namespace fabricast
