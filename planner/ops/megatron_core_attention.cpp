#include "planner/ops/attention_kernels.h"
#include "planner/ops/megatron_layer.h"

#include <vector>

namespace fabricast {

namespace {

/// Transformer Engine's offload marks what cuDNN's kernel saves, of flash-attn's function what it
/// is given, and nothing where ranks exchange keys (context_parallel.py).
void markAttention(MegatronCode& m, const Heads& heads) {
    const AttentionCode code = m.scenario.settings.kernels.attentionCode;
    if (m.scenario.layout.cp > 1) {
        return;
    }
    markSaved(m);
    if (code == AttentionCode::Flash2 || code == AttentionCode::Flash3) {
        m.g.last().toHost = m.fusedModules() ? TensorIds{heads.q, heads.k, heads.v} : TensorIds{};
    }
}

/// PyTorch's flash kernel behind tensors laid out sequence first: with more than one sample its
/// backward copies the output and its gradient.
TensorId flash(MegatronCode& m, const Heads& heads) {
    const AttentionSpec& attention = m.scenario.model.attention;
    const TensorId out = m.g.flashAttention(heads.q,
                                            heads.k,
                                            heads.v,
                                            {.tokens = m.shape.tokens,
                                             .heads = m.shape.heads,
                                             .kvHeads = m.shape.kvHeads,
                                             .headDim = attention.keyDim(),
                                             .valueDim = attention.valueDim(),
                                             .batch = m.shape.batch,
                                             .sequence = m.shape.sequence});
    markAttention(m, heads);
    if (m.shape.batch > 1 && !m.fusedModules()) {
        for (int copy = 0; copy < 2; ++copy) {
            m.g.last().backwardTemps.push_back(m.g.info(out).bytes);
        }
    }
    return out;
}

/// Where values are of another width than keys, PyTorch has no flash kernel.
TensorId efficient(MegatronCode& m, const Heads& heads) {
    const AttentionSpec& attention = m.scenario.model.attention;
    return efficientAttention(m.g,
                              heads.q,
                              heads.k,
                              heads.v,
                              {.batch = m.shape.batch,
                               .sequence = m.shape.sequence,
                               .heads = m.shape.heads,
                               .keyDim = attention.keyDim(),
                               .valueDim = attention.valueDim()});
}

/// Keys and values repeated for every query head of their group.
TensorId repeatHeads(MegatronCode& m, TensorId x) {
    if (m.shape.heads == m.shape.kvHeads) {
        return x;
    }
    const std::int64_t elements = m.g.info(x).elements / m.shape.kvHeads * m.shape.heads;
    return m.g.pointwise("repeat_interleave", {x}, elements, m.g.info(x).width, {});
}

/// q or k as the product reads it; its gradient is scaled into a new tensor.
TensorId scaledOperand(MegatronCode& m, TensorId x) {
    const TensorId view = m.g.viewOf(x, m.g.info(x).elements);
    m.g.push({.kind = OpKind::Copy, .name = "transpose", .inputs = {x}, .outputs = {view}});
    return view;
}

/// scores = q · kᵀ / √d, in the shape of the scratch buffer. Backward scales their gradient in
/// three tensors of that size.
TensorId scores(MegatronCode& m, TensorId q, TensorId k, std::int64_t elements) {
    OpBuilder& g = m.g;
    const std::int64_t width = g.info(q).width;
    g.useScratch(elements * width);
    const TensorId left = scaledOperand(m, q);
    const TensorId right = scaledOperand(m, k);
    const bool graph = g.info(left).requiresGrad;
    const TensorId out = g.fresh(elements, width, graph);
    g.push({.kind = OpKind::Gemm,
            .name = "baddbmm",
            .inputs = {left, right},
            .outputs = {out},
            .saved = graph ? TensorIds{left, right} : TensorIds{}});
    const TensorId scaled = g.viewOf(out, elements);
    const std::int64_t bytes = elements * width;
    g.push(
        {.name = "scale", .inputs = {out}, .outputs = {scaled}, .backwardTemps = {bytes, bytes}});
    const TensorId masked = g.viewOf(out, elements);
    g.push({.name = "masked_fill", .inputs = {scaled}, .outputs = {masked}});
    return masked;
}

TensorId unfused(MegatronCode& m, const Heads& heads) {
    OpBuilder& g = m.g;
    const std::int64_t elements =
        m.shape.batch * m.shape.heads * m.shape.sequence * m.shape.sequence;
    const TensorId k = repeatHeads(m, heads.k);
    const TensorId v = repeatHeads(m, heads.v);
    const std::int64_t width = g.info(heads.q).width;
    const TensorId masked = scores(m, heads.q, k, elements);
    const TensorId probabilities = g.pointwise("softmax", {masked}, elements, width, {});
    const bool graph = g.info(probabilities).requiresGrad;
    if (graph) {
        g.last().saved = {probabilities};
    }
    g.last().backwardTemps = {elements * width};
    const TensorId dropped = dropout(m, probabilities);
    const TensorId context = g.fresh(
        m.shape.tokens * m.shape.heads * m.scenario.model.attention.valueDim(), width, graph);
    g.push({.kind = OpKind::Gemm,
            .name = "bmm",
            .inputs = {v, dropped},
            .outputs = {context},
            .saved = graph ? TensorIds{v, dropped} : TensorIds{}});
    const TensorId out = g.pointwise("contiguous", {context}, g.info(context).elements, width, {});
    g.last().passesGradient = true;
    g.holdUntilHere({masked, dropped});
    return out;
}

}  // namespace

TensorId coreAttention(MegatronCode& m, const Heads& heads) {
    if (m.scenario.settings.kernels.attention != AttentionKernel::Flash) {
        return unfused(m, heads);
    }
    const AttentionSpec& attention = m.scenario.model.attention;
    const bool sameWidth = attention.keyDim() == attention.valueDim();
    return sameWidth || m.fusedModules() ? flash(m, heads) : efficient(m, heads);
}

}  // namespace fabricast
