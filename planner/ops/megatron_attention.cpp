#include "planner/ops/megatron_layer.h"
#include "planner/ops/megatron_linear.h"

#include <vector>

namespace fabricast {

namespace {

TensorId rotaryFused(MegatronCode& m, TensorId x) {
    return m.g.pointwise("rope", {x}, m.g.info(x).elements, m.g.info(x).width, {});
}

TensorId megatronRotate(MegatronCode& m, TensorId x) {
    if (m.scenario.model.position != PositionKind::Rope) {
        return x;
    }
    const AttentionSpec& attention = m.scenario.model.attention;
    return m.fusesRope() && !attention.scaledRotary
               ? rotaryFused(m, x)
               : rotaryWritten(m, x, {.dim = attention.headDim});
}

/// Where tp exceeds the groups, the product is gathered and each rank takes its own heads from it.
TensorId gatherGroups(MegatronCode& m, TensorId mixed) {
    if (m.scenario.model.attention.kvHeads >= m.shape.tp) {
        return mixed;
    }
    return gatherColumns(m, mixed);
}

/// Norm over each head.
TensorId megatronHeadNorm(MegatronCode& m, TensorId x, std::string_view name) {
    const AttentionSpec& attention = m.scenario.model.attention;
    if (attention.qkNorm == QkNorm::None) {
        return x;
    }
    const TensorInfo in = m.g.info(x);
    const bool perHead = attention.qkNorm == QkNorm::PerHead;
    const std::int64_t columns = perHead ? attention.headDim : in.elements / m.shape.tokens;
    const int weight = m.g.weight(name, columns, false);
    const TensorId out = m.g.rmsNorm(x, in.elements / columns, weight);
    markSaved(m);
    if (in.base != x) {
        readThroughCopy(m, x);
    }
    return out;
}

/// q, k and v of one fused matrix. Heads of a group lie together, so q is copied out unless there
/// is one group or each has one query head; k and v stay views.
Heads splitHeads(MegatronCode& m, TensorId mixed) {
    const std::int64_t dim = m.scenario.model.attention.headDim;
    const std::int64_t kv = m.shape.tokens * m.shape.kvHeads * dim;
    const std::int64_t q = m.shape.tokens * m.shape.heads * dim;
    const auto parts = m.g.split(mixed, {q, kv, kv});
    Heads heads{parts[0], parts[1], parts[2]};
    if (m.shape.kvHeads > 1 && m.shape.heads != m.shape.kvHeads) {
        heads.q = m.g.pointwise("contiguous", {heads.q}, q, m.g.info(mixed).width, {});
        m.g.last().passesGradient = true;
    }
    return heads;
}

/// Transformer Engine's attention takes q, k and v as views of one tensor, or, once q and k have
/// been rotated, v contiguous too: the product itself is then no longer needed.
TensorId contiguousValue(MegatronCode& m, TensorId v) {
    if (!m.fusedModules() || m.scenario.model.position != PositionKind::Rope) {
        return v;
    }
    return m.g.pointwise("contiguous", {v}, m.g.info(v).elements, m.g.info(v).width, {});
}

/// cos (or sin) of the angles, times the concentration factor, in the compute type.
TensorId megatronRotaryTable(MegatronCode& m, const RotaryShape& shape, std::int64_t width) {
    const std::int64_t entries = m.shape.sequence * shape.dim;
    const TensorId table = m.g.fresh(entries, width, false);
    m.g.push({.kind = OpKind::Lookup,
              .name = "rope_table",
              .inputs = shape.angles,
              .outputs = {table},
              .forwardTemps = {4 * entries, (4 - width) * entries}});
    return table;
}

/// Columns that are rotated, and those (none) that are not. A slice's gradient is written into a
/// tensor of x's size.
struct Slices {
    TensorId turned = kNoTensor;
    TensorId passed = kNoTensor;
};
Slices sliceOf(MegatronCode& m, TensorId x) {
    const Slices slices{m.g.viewOf(x, m.g.info(x).elements), m.g.viewOf(x, 0)};
    m.g.push({.kind = OpKind::Copy,
              .name = "slice",
              .inputs = {x},
              .outputs = {slices.turned, slices.passed}});
    return slices;
}

/// Even columns, then odd ones.
TensorId reordered(MegatronCode& m, TensorId x) {
    const TensorInfo in = m.g.info(x);
    const TensorId out = m.g.pointwise("reorder", {x}, in.elements, in.width, {});
    m.g.last().backwardTemps = {in.bytes};
    return out;
}

}  // namespace

AttentionOutput megatronAttention(MegatronCode& m, TensorId x) {
    OpBuilder& g = m.g;
    const AttentionSpec& attention = m.scenario.model.attention;
    const std::int64_t hidden = m.scenario.model.hidden;
    const std::int64_t inWidth = m.shape.heads * attention.headDim;
    const int projection =
        megatronWeight(m, {.name = "linear_proj", .inputs = inWidth, .outputs = hidden});
    AttentionOutput result;
    result.bias = attention.outBias ? g.weight("bias", hidden, false) : -1;
    const std::int64_t rows =
        (attention.heads + 2 * attention.kvHeads) * attention.headDim / m.shape.tp;
    const TensorId product = columnParallel(
        m, x, {.name = "linear_qkv", .inputs = hidden, .outputs = rows, .bias = attention.qkvBias});
    const TensorId mixed =
        withAdapter(m, x, product, {.target = "qkv", .inputs = hidden, .outputs = rows});
    const Heads split = splitHeads(m, gatherGroups(m, mixed));
    Heads heads = split;
    heads.q = megatronRotate(m, megatronHeadNorm(m, heads.q, "q_layernorm"));
    heads.k = megatronRotate(m, megatronHeadNorm(m, heads.k, "k_layernorm"));
    heads.v = contiguousValue(m, heads.v);
    const int block = g.openBlock(m.recomputes("core_attn"));
    const TensorId attended = coreAttention(m, heads);
    g.closeBlock(block);
    result.out = withAdapter(m,
                             attended,
                             rowParallel(m, attended, projection, hidden),
                             {.target = "o", .inputs = inWidth, .outputs = hidden, .row = true});
    if (!m.fusedModules()) {
        g.holdUntilHere({split.q});
    }
    return result;
}

TensorId rotaryWritten(MegatronCode& m, TensorId x, const RotaryShape& shape) {
    OpBuilder& g = m.g;
    const Slices slices = sliceOf(m, x);
    const TensorInfo in = g.info(slices.turned);
    const TensorId t = shape.reorders ? reordered(m, slices.turned) : slices.turned;
    const TensorId cosine = megatronRotaryTable(m, shape, in.width);
    const TensorId sine = megatronRotaryTable(m, shape, in.width);
    const TensorId direct = g.pointwise("mul", {t, cosine}, in.elements, in.width, {cosine});
    const TensorId turned = g.pointwise("rotate_half", {t}, in.elements, in.width, {});
    g.last().forwardTemps = {in.bytes / 2};
    g.last().backwardTemps = {in.bytes / 2};
    const TensorId crossed = g.pointwise("mul", {turned, sine}, in.elements, in.width, {sine});
    const TensorId sum = g.add(direct, crossed);
    if (shape.reorders) {
        g.holdUntilHere({t});
    }
    return joined(m, {sum, slices.passed});
}

}  // namespace fabricast
