#include "planner/comm/engine_calls.h"

#include <algorithm>

namespace fabricast {
namespace {

// Flex attention under the default backend gathers keys and values and scatters their gradients;
// scaled_dot_product_attention under DTensor gathers both at once, again in backward, and sends
// each rank its part of the gradients in fp32.
Calls keyValueCalls(const StageView& view, const ChunkView& chunk, const LayerKind& kind) {
    const AttentionSpec& attention = view.model().attention;
    const bool latent = attention.kind == AttentionKind::Latent;
    const std::int64_t heads = latent ? view.shape.heads : view.shape.kvHeads;
    const std::int64_t tokens = view.shape.batch * view.shape.fullSequence;
    CommCall call{.group = GroupKind::Context,
                  .op = CommOp::AllGather,
                  .type = view.compute,
                  .phase = CommPhase::Forward,
                  .use = CommUse::KeyValue,
                  .place = CommPlace::Attention,
                  .sparse = kind.sparse,
                  .chunk = chunk.index,
                  .parts = kind.count,
                  .times = view.microBatches};
    Calls calls;
    const std::int64_t keys = tokens * heads * attention.keyDim();
    const std::int64_t values = tokens * heads * attention.valueDim();
    const bool titan = view.settings().kernels.code == ModelCode::TorchTitan;
    if (!titan || view.settings().torch.backend == TitanBackend::PartialDTensor) {
        call.elements = keys + values;
        add(calls, call);
        call.phase = CommPhase::Backward;
        add(calls, call);
        call.op = CommOp::AllToAll;
        call.type = WireType::Fp32;
        call.elements = (keys + values) / view.layout().cp;
        call.each = view.layout().cp;
        add(calls, call);
        return calls;
    }
    for (const std::int64_t elements : {keys, values}) {
        call.elements = elements;
        call.op = CommOp::AllGather;
        call.phase = CommPhase::Forward;
        add(calls, call);
        if (view.recomputes()) {
            call.phase = CommPhase::Recompute;
            add(calls, call);
        }
        call.op = CommOp::ReduceScatter;
        call.phase = CommPhase::Backward;
        add(calls, call);
    }
    return calls;
}

}  // namespace

Calls titanContextCalls(const StageView& view, const ChunkView& chunk) {
    Calls calls;
    if (view.layout().cp > 1) {
        for (const LayerKind& kind : view.kinds(chunk)) {
            append(calls, keyValueCalls(view, chunk, kind));
        }
    }
    return calls;
}

// Counts, then tokens to the experts and back; backward sends gradients the same two ways.
// Probabilities are not sent. Every tensor parallel rank dispatches its share of the tokens.
Calls titanExpertCalls(const StageView& view, const ChunkView& chunk) {
    const Layout& layout = view.layout();
    if (!view.model().moe || layout.ep == 1) {
        return {};
    }
    const MoeSpec& moe = *view.model().moe;
    CommCall call{.group = GroupKind::Expert,
                  .op = view.settings().torch.backend == TitanBackend::SpmdTypes
                            ? CommOp::AllToAllList
                            : CommOp::AllToAll,
                  .place = CommPlace::Experts,
                  .sparse = true,
                  .chunk = chunk.index,
                  .parts = chunk.sparse,
                  .times = view.microBatches};
    Calls calls;
    const bool again = titanRepeatsScatters(view);
    for (const CommPhase phase : {CommPhase::Forward, CommPhase::Recompute, CommPhase::Backward}) {
        if (phase == CommPhase::Recompute && !again) {
            continue;
        }
        call.phase = phase;
        call.use = CommUse::Dispatch;
        call.type = view.compute;
        call.elements = view.shape.tokens * moe.topK * view.model().hidden / layout.tp;
        call.each = 2;
        add(calls, call);
        if (phase != CommPhase::Backward) {
            call.use = CommUse::Routing;
            call.type = WireType::Int64;
            call.elements = moe.experts;
            call.each = 1;
            add(calls, call);
        }
    }
    return calls;
}

Calls titanStepCalls(const StageView& view) {
    const Layout& layout = view.layout();
    Calls calls;
    const auto reduce = [&](GroupKind group, WireType type, CommPhase phase, std::int64_t n) {
        add(calls, {.group = group, .type = type, .phase = phase, .elements = n});
    };
    if (layout.dp > 1) {
        reduce(GroupKind::Data, WireType::Int64, CommPhase::Other, 1);  // tokens of the step
    }
    std::int64_t sparse = 0;
    for (const ChunkView& chunk : view.chunks) {
        sparse += chunk.sparse;
    }
    if (sparse > 0) {  // tokens per expert, for the router's bias
        const std::int64_t counts = sparse * view.model().moe->experts;
        if (layout.ep > 1 && layout.tp > 1) {
            reduce(GroupKind::Tensor, WireType::Fp32, CommPhase::Optimizer, counts);
        }
        if (layout.replicas() > 1) {
            reduce(GroupKind::DataContext, WireType::Fp32, CommPhase::Optimizer, counts);
        }
    }
    if (view.logs) {
        reduce(GroupKind::DataContext, WireType::Fp32, CommPhase::Other, 1);
        reduce(GroupKind::DataContext, WireType::Fp32, CommPhase::Other, 1);
        reduce(GroupKind::DataContext, WireType::Int64, CommPhase::Other, 1);
    }
    return calls;
}

}  // namespace fabricast
