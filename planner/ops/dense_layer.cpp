#include "planner/ops/dense_layer.h"

#include "planner/ops/latent_attention.h"
#include "planner/ops/megatron_ends.h"
#include "planner/ops/megatron_layer.h"
#include "planner/ops/mixtral_experts.h"
#include "planner/ops/torchtitan_moe.h"

#include <algorithm>

namespace fabricast {

std::int64_t residualWidth(const Settings& settings) {
    const PrecisionSettings& precision = settings.precision;
    return bytesPerElement(precision.autocast ? precision.parameters : precision.compute);
}

OpBuilder::Options builderOptions(const Scenario& scenario) {
    const PrecisionSettings& precision = scenario.settings.precision;
    return {.computeWidth = bytesPerElement(precision.compute),
            .storedWidth = bytesPerElement(precision.parameters),
            .autocast = precision.autocast};
}

/// Under sequence parallelism the norm's output is gathered over tp before the column-split GEMMs.
TensorId gatherSequence(OpBuilder& g, const RankShape& shape, TensorId x) {
    if (!shape.sp) {
        return x;
    }
    const TensorId out = g.fresh(g.info(x).elements * shape.tp, g.info(x).width);
    g.push({.kind = OpKind::Collective, .name = "all_gather", .inputs = {x}, .outputs = {out}});
    return out;
}

/// The row-split GEMM's partial sums are scattered over the sequence, or all-reduced in place.
TensorId reducePartial(OpBuilder& g, const RankShape& shape, TensorId x) {
    if (shape.tp == 1) {
        return x;
    }
    const std::int64_t parts = shape.sp ? shape.tp : 1;
    const TensorId out = g.fresh(g.info(x).elements / parts, g.info(x).width);
    g.push({.kind = OpKind::Collective,
            .name = shape.sp ? "reduce_scatter" : "all_reduce",
            .inputs = {x},
            .outputs = {out}});
    return out;
}

namespace {

struct Rotary {
    TensorId first = kNoTensor;   ///< complex table, or cos
    TensorId second = kNoTensor;  ///< sin
};

/// Declares the rotary table: shared by all layers, or gathered per layer from position ids.
Rotary rotaryTable(OpBuilder& g, const Scenario& scenario, const RankShape& shape) {
    const KernelSettings& kernels = scenario.settings.kernels;
    const std::int64_t dim = scenario.model.attention.headDim;
    if (scenario.model.position != PositionKind::Rope) {
        return {};
    }
    if (kernels.rope == RopeKernel::CosSin && kernels.positionIds) {  // one fp32 row of both
        const TensorId rows = g.fresh(2 * shape.tokens * dim, 4, false);
        g.push({.kind = OpKind::Lookup, .name = "rope_rows", .outputs = {rows}});
        return {g.viewOf(rows, shape.tokens * dim), g.viewOf(rows, shape.tokens * dim)};
    }
    if (kernels.rope == RopeKernel::CosSin) {
        const std::int64_t width = residualWidth(scenario.settings);
        const TensorId cosine = g.external(shape.fullSequence * dim, width);
        return {cosine, g.external(shape.fullSequence * dim, width)};
    }
    if (kernels.positionIds) {  // one row of the complex table per token
        const TensorId rows = g.fresh(shape.tokens * dim / 2, 8, false);
        g.push({.kind = OpKind::Lookup, .name = "rope_rows", .outputs = {rows}});
        return {rows, kNoTensor};
    }
    return {g.external(shape.fullSequence * dim / 2, 8), kNoTensor};
}

TensorId rotate(OpBuilder& g, const Rotary& table, TensorId x) {
    if (table.first == kNoTensor) {
        return x;
    }
    return table.second == kNoTensor ? g.ropeComplex(x, table.first)
                                     : g.ropeCosSin(x, table.first, table.second);
}

struct Projected {
    TensorId q, k, v;
};

Projected projectQkv(OpBuilder& g, const Scenario& scenario, const RankShape& shape, TensorId x) {
    const AttentionSpec& attention = scenario.model.attention;
    const std::int64_t inWidth = scenario.model.hidden;
    const std::int64_t q = shape.heads * attention.headDim;
    const std::int64_t kv = shape.kvHeads * attention.headDim;
    const std::int64_t tokens = shape.tokens;
    const auto bias = [&](std::string_view name, std::int64_t rows) {
        return attention.qkvBias ? g.weight(name, rows, false) : -1;
    };
    if (!scenario.settings.kernels.fusedQkv) {
        const auto project = [&](std::string_view name, std::int64_t rows) {
            const int weight = g.matrix(name, rows, inWidth);
            return g.linear(x, weight, tokens * rows, bias("bias", rows));
        };
        const TensorId outQ = project("q_proj", q);
        const TensorId outK = project("k_proj", kv);
        return {outQ, outK, project("v_proj", kv)};
    }
    const int weight = g.matrix("qkv_proj", q + 2 * kv, inWidth);
    const TensorId fused = g.linear(x, weight, tokens * (q + 2 * kv), bias("bias", q + 2 * kv));
    const auto parts = g.split(fused, {tokens * q, tokens * kv, tokens * kv});
    Projected out{parts[0], parts[1], parts[2]};
    if (scenario.settings.kernels.code == ModelCode::TorchTitan) {
        // Its fused projection interleaves heads per group, so each part is copied out.
        const std::int64_t width = g.info(fused).width;
        const auto copy = [&](TensorId part) {
            return g.pointwise("contiguous", {part}, g.info(part).elements, width, {});
        };
        out = {copy(parts[0]), copy(parts[1]), copy(parts[2])};
    }
    return out;
}

TensorId perHeadNorm(OpBuilder& g, const Scenario& scenario, TensorId x, std::string_view name) {
    if (scenario.model.attention.qkNorm == QkNorm::None) {
        return x;
    }
    const std::int64_t dim = scenario.model.attention.headDim;
    const std::int64_t rows = g.info(x).elements / dim;
    const int weight = g.weight(name, dim, false);
    return scenario.settings.kernels.norm == NormKernel::Fused ? g.rmsNorm(x, rows, weight)
                                                               : g.rmsNormFp32(x, rows, weight);
}

/// torch's context-parallel attention merges the parts that the ranks of the ring computed into a
/// tensor of its own, which the output projection keeps beside the attention's.
TensorId mergeContext(OpBuilder& g, TensorId parts) {
    return g.pointwise("merge_context", {parts}, g.info(parts).elements, g.info(parts).width, {});
}

/// 0.5 · x · (1 + tanh(√(2/π) · (x + 0.044715 x³))), each step its own op. Autocast runs the power,
/// and with it all that follows, in fp32.
TensorId geluWritten(OpBuilder& g, TensorId x) {
    const std::int64_t n = g.info(x).elements;
    const TensorId base = g.options().autocast ? g.cast(x, 4) : x;
    const std::int64_t width = g.info(base).width;
    const TensorId cube = g.pointwise("pow", {base}, n, width, {base});
    const TensorId scaled = g.pointwise("scale", {cube}, n, width, {});
    const TensorId inner = g.pointwise("scale", {g.add(x, scaled)}, n, width, {});
    const TensorId tangent = g.pointwise("tanh", {inner}, n, width, {});
    g.last().saved = {tangent};
    const TensorId onePlus = g.pointwise("shift", {tangent}, n, width, {});
    const TensorId half = g.pointwise("scale", {x}, n, g.info(x).width, {});
    return g.multiply(half, onePlus);
}

}  // namespace

TensorId eagerNorm(OpBuilder& g, const Scenario& scenario, TensorId x, std::string_view name) {
    const std::int64_t hidden = scenario.model.hidden;
    const std::int64_t rows = g.info(x).elements / hidden;
    const int weight = g.weight(name, hidden, false);
    switch (scenario.model.norm) {
        case NormKind::Rms:
            return scenario.settings.kernels.norm == NormKernel::Fused
                       ? g.rmsNorm(x, rows, weight)
                       : g.rmsNormFp32(x, rows, weight);
        case NormKind::Layer:
            return g.layerNorm(x, rows, {weight, g.weight("bias", hidden, false)});
        case NormKind::LayerNoBias:
        case NormKind::LayerNoParameters:
            break;
    }
    return g.layerNorm(x, rows, {weight});
}

TensorId eagerAttention(OpBuilder& g, const Scenario& scenario, TensorId x) {
    const RankShape shape = rankShape(scenario);
    const AttentionSpec& attention = scenario.model.attention;
    const Rotary table = rotaryTable(g, scenario, shape);
    const TensorId full = gatherSequence(g, shape, x);
    Projected p = projectQkv(g, scenario, shape, full);
    p.q = rotate(g, table, perHeadNorm(g, scenario, p.q, "q_norm"));
    p.k = rotate(g, table, perHeadNorm(g, scenario, p.k, "k_norm"));
    g.module("core_attn");
    const TensorId out = g.flashAttention(p.q,
                                          p.k,
                                          p.v,
                                          {.tokens = shape.tokens,
                                           .heads = shape.heads,
                                           .kvHeads = shape.kvHeads,
                                           .headDim = attention.headDim,
                                           .valueDim = attention.headDim,
                                           .batch = shape.batch,
                                           .sequence = shape.sequence});
    const TensorId joined = shape.cp > 1 && scenario.settings.kernels.code == ModelCode::TorchTitan
                                ? mergeContext(g, out)
                                : out;
    g.module("");
    const std::int64_t inWidth = shape.heads * attention.headDim;
    const int weight = g.matrix("o_proj", scenario.model.hidden, inWidth);
    const int bias = attention.outBias ? g.weight("bias", scenario.model.hidden, false) : -1;
    const TensorId projected = g.linear(joined, weight, shape.tokens * scenario.model.hidden, bias);
    return reducePartial(g, shape, projected);
}

TensorId eagerMlp(OpBuilder& g, const Scenario& scenario, TensorId x) {
    const RankShape shape = rankShape(scenario);
    const std::int64_t hidden = scenario.model.hidden;
    const MlpSpec& mlp = scenario.model.mlp;
    const std::int64_t width = shape.width;
    const auto bias = [&](std::int64_t rows) {
        return mlp.bias ? g.weight("bias", rows, false) : -1;
    };
    const TensorId full = gatherSequence(g, shape, x);
    const auto widen = [&](std::string_view name) {
        const int weight = g.matrix(name, width, hidden);
        return g.linear(full, weight, shape.tokens * width, bias(width));
    };
    TensorId inner = kNoTensor;
    if (mlp.kind == MlpKind::Gated) {
        const TensorId gate = g.silu(widen("gate_proj"));
        inner = g.multiply(gate, widen("up_proj"));
    } else {
        const TensorId up = widen("up_proj");
        const bool written = scenario.settings.kernels.code == ModelCode::HuggingFace &&
                             scenario.model.family == "gpt2";
        inner = written ? geluWritten(g, up) : g.gelu(up);
    }
    const int down = g.matrix("down_proj", hidden, width);
    return reducePartial(g, shape, g.linear(inner, down, shape.tokens * hidden, bias(hidden)));
}

OpList eagerLayer(const Scenario& scenario, std::int64_t layer) {
    OpBuilder g(builderOptions(scenario));
    const RankShape shape = rankShape(scenario);
    const TensorId x =
        g.input(shape.localTokens * scenario.model.hidden, residualWidth(scenario.settings));
    const TensorId normed = eagerNorm(g, scenario, x, "input_layernorm");
    const bool latent = scenario.model.attention.kind == AttentionKind::Latent;
    const TensorId attended = g.add(
        x, latent ? latentAttention(g, scenario, normed) : eagerAttention(g, scenario, normed));
    g.module("mlp");
    const TensorId ready = eagerNorm(g, scenario, attended, "post_attention_layernorm");
    const bool titan = scenario.settings.kernels.code == ModelCode::TorchTitan;
    TensorId fed = kNoTensor;
    if (!scenario.model.isSparse(layer)) {
        fed = eagerMlp(g, scenario, ready);
    } else {
        fed = titan ? torchtitanMoe(g, scenario, ready) : mixtralExperts(g, scenario, ready);
    }
    g.module("");
    return g.finish(g.add(attended, fed));
}

std::vector<std::int64_t> sharedTableBytes(const Scenario& scenario) {
    const KernelSettings& kernels = scenario.settings.kernels;
    const AttentionSpec& attention = scenario.model.attention;
    if (scenario.model.position == PositionKind::Rope && isMegatronCode(scenario)) {
        return megatronTableBytes(scenario);
    }
    if (scenario.model.position != PositionKind::Rope || kernels.positionIds) {
        return {};
    }
    const bool latent = attention.kind == AttentionKind::Latent;
    const std::int64_t entries =
        scenario.workload.sequence * (latent ? attention.qkRopeDim : attention.headDim);
    if (kernels.rope == RopeKernel::CosSin && !latent) {
        const std::int64_t width = residualWidth(scenario.settings);
        return {entries * width, entries * width};
    }
    return {4 * entries};
}

}  // namespace fabricast
