#include "planner/comm/torch_regions.h"

#include "planner/comm/engine_calls.h"
#include "planner/ops/expert_layers.h"

namespace fabricast {
namespace {

// Products are split by columns, then by rows and summed; checkpointing stops before the last sum
// of a layer. The head's logits are gathered.
Calls tensorCalls(const StageView& view, const ChunkView& chunk) {
    CommCall sum{.group = GroupKind::Tensor,
                 .type = view.compute,
                 .use = CommUse::Activation,
                 .chunk = chunk.index,
                 .elements = view.shape.tokens * view.model().hidden,
                 .times = view.microBatches};
    Calls calls;
    for (const LayerKind& kind : view.kinds(chunk)) {
        sum.sparse = kind.sparse;
        sum.parts = kind.count;
        for (const CommPlace place : {CommPlace::Attention, CommPlace::Mlp}) {
            sum.place = place;
            for (const CommPhase phase : {CommPhase::Forward, CommPhase::Backward}) {
                sum.phase = phase;
                add(calls, sum);
            }
            if (view.recomputes() && place == CommPlace::Attention) {
                sum.phase = CommPhase::Recompute;
                add(calls, sum);
            }
        }
    }
    if (chunk.last) {
        sum.place = CommPlace::Head;
        sum.sparse = false;
        sum.parts = 1;
        sum.phase = CommPhase::Backward;
        add(calls, sum);
        sum.phase = CommPhase::Forward;
        sum.op = CommOp::AllGather;
        sum.elements = view.shape.tokens * view.model().vocab;
        add(calls, sum);
    }
    return calls;
}

CommCall contextCall(const StageView& view, const ChunkView& chunk, const LayerKind& kind) {
    return {.group = GroupKind::Context,
            .op = CommOp::AllToAll,
            .type = view.compute,
            .use = CommUse::KeyValue,
            .place = CommPlace::Attention,
            .sparse = kind.sparse,
            .chunk = chunk.index,
            .parts = kind.count,
            .times = view.microBatches};
}

/// Heads for tokens and back, and gradients the same way.
Calls ulyssesCalls(const StageView& view, const ChunkView& chunk) {
    const AttentionSpec& attention = view.model().attention;
    const std::int64_t tokens = view.shape.tokens;
    const std::int64_t query = tokens * view.shape.heads * attention.keyDim();
    const std::int64_t output = tokens * view.shape.heads * attention.valueDim();
    const bool latent = attention.kind == AttentionKind::Latent;
    const std::int64_t groups = latent ? view.shape.heads : view.shape.kvHeads;
    Calls calls;
    for (const LayerKind& kind : view.kinds(chunk)) {
        CommCall call = contextCall(view, chunk, kind);
        for (const CommPhase phase :
             {CommPhase::Forward, CommPhase::Recompute, CommPhase::Backward}) {
            if (phase == CommPhase::Recompute && !view.recomputes()) {
                continue;
            }
            call.phase = phase;
            for (const std::int64_t elements : {query,
                                                tokens * groups * attention.keyDim(),
                                                tokens * groups * attention.valueDim(),
                                                output}) {
                call.elements = elements;
                add(calls, call);
            }
        }
    }
    return calls;
}

/// torch's context_parallel: keys and values of this rank go round by all-to-alls, in backward with
/// their fp32 gradients one step behind; or they are gathered whole.
Calls rotationCalls(const StageView& view, const ChunkView& chunk) {
    if (view.layout().cpKind == CpKind::AllGather) {
        return titanContextCalls(view, chunk);
    }
    const AttentionSpec& attention = view.model().attention;
    const bool latent = attention.kind == AttentionKind::Latent;
    const std::int64_t groups = latent ? view.shape.heads : view.shape.kvHeads;
    const std::int64_t ranks = view.layout().cp;
    Calls calls;
    for (const LayerKind& kind : view.kinds(chunk)) {
        CommCall call = contextCall(view, chunk, kind);
        call.elements = view.shape.tokens * groups * (attention.keyDim() + attention.valueDim());
        call.each = ranks - 1;
        for (const CommPhase phase :
             {CommPhase::Forward, CommPhase::Recompute, CommPhase::Backward}) {
            call.phase = phase;
            call.times =
                phase == CommPhase::Recompute && !view.recomputes() ? 0 : view.microBatches;
            add(calls, call);
        }
        call.type = WireType::Fp32;
        call.each = ranks;
        add(calls, call);
    }
    return calls;
}

}  // namespace

Calls asRead(Calls calls) {
    for (CommCall& call : calls) {
        call.source = CallSource::Read;
    }
    return calls;
}

Calls torchRegionCalls(const StageView& view, const ChunkView& chunk) {
    const Layout& layout = view.layout();
    Calls calls;
    if (layout.tp > 1) {
        append(calls, asRead(tensorCalls(view, chunk)));
    }
    if (layout.cp > 1 && layout.cpKind == CpKind::Ulysses) {
        append(calls, ulyssesCalls(view, chunk));
    } else if (layout.cp > 1) {
        append(calls, asRead(rotationCalls(view, chunk)));
    }
    append(calls,
           usesDeepSpeedMoe(*view.scenario) ? deepspeedExpertCalls(view, chunk)
           : usesAutoEp(*view.scenario)     ? autoEpCalls(view, chunk)
                                            : asRead(titanExpertCalls(view, chunk)));
    append(calls, asRead(boundaryCalls(view, chunk)));
    return calls;
}

}  // namespace fabricast
