#include "planner/ops/dense_layer.h"

#include "planner/ops/attention_kernels.h"
#include "planner/ops/expert_layers.h"
#include "planner/ops/hf_code.h"
#include "planner/ops/hf_latent_attention.h"
#include "planner/ops/hf_moe.h"
#include "planner/ops/hf_positions.h"
#include "planner/ops/liger.h"
#include "planner/ops/lora_linear.h"
#include "planner/ops/megatron_layer.h"
#include "planner/ops/megatron_vocab.h"
#include "planner/ops/native_attention.h"
#include "planner/ops/row_sums.h"
#include "planner/ops/trained_weights.h"

#include <algorithm>

namespace fabricast {

namespace {

std::int64_t storedWidth(const Settings& settings) {
    return bytesPerElement(settings.tuning == Tuning::Lora ? frozenType(settings.lora)
                                                           : settings.precision.parameters);
}

/// FSDP gathers weights in the type that computes: what reads them has it, autocast or not.
bool gathersCast(const Settings& settings) {
    return settings.engine == Engine::Fsdp2 || settings.engine == Engine::Fsdp1;
}

/// 0.5 · x · (1 + tanh(√(2/π) · (x + 0.044715 x³))), each step its own op. Autocast runs the power,
/// and with it all that follows, in fp32.
TensorId geluWritten(OpBuilder& g, TensorId x) {
    const std::int64_t n = g.info(x).elements;
    const TensorId base = g.options().autocast ? g.cast(x, 4) : x;
    const std::int64_t width = g.info(base).width;
    const TensorId cube = g.power(base);
    const TensorId scaled = g.pointwise("scale", {cube}, n, width, {});
    const TensorId inner = g.pointwise("scale", {g.add(x, scaled)}, n, width, {});
    const TensorId tangent = g.pointwise("tanh", {inner}, n, width, {});
    if (g.info(tangent).requiresGrad) {
        g.last().saved = {tangent};
    }
    const TensorId onePlus = g.pointwise("shift", {tangent}, n, width, {});
    const TensorId half = g.pointwise("scale", {x}, n, g.info(x).width, {});
    return g.multiply(half, onePlus);
}

TensorId droppedResidual(OpBuilder& g, const Scenario& scenario, TensorId x) {
    return hfCodeOf(scenario).dropsResiduals ? g.dropout(x) : x;
}

/// The activation is a module of its own.
TensorId opening(OpBuilder& g, TensorId gate) {
    g.enterModule();
    const TensorId open = g.silu(gate);
    g.leaveModule();
    return open;
}

TensorId eagerMlp(OpBuilder& g, const Scenario& scenario, TensorId x) {
    const RankShape shape = rankShape(scenario);
    const MlpSpec& mlp = scenario.model.mlp;
    g.enterModule();
    const TensorId full = gatherSequence(g, shape, x);
    const auto widen = [&](std::string_view name, std::string_view target) {
        const LinearSite site{
            name, mlpTarget(scenario, target), scenario.model.hidden, shape.width, mlp.bias};
        return siteLinear(g, scenario.settings, site, full);
    };
    const bool byLiger = scenario.settings.kernels.activation == ActivationKernel::Liger;
    TensorId inner = kNoTensor;
    TensorIds named;  // by variables of the module's forward
    if (mlp.fusedGateUp && scenario.settings.kernels.code == ModelCode::HuggingFace) {
        const LinearSite site{"gate_up_proj",
                              mlpTarget(scenario, "gate"),
                              scenario.model.hidden,
                              2 * shape.width,
                              mlp.bias};
        const TensorId both = siteLinear(g, scenario.settings, site, full);
        const std::int64_t half = g.info(both).elements / 2;
        named = g.split(both, {half, half});
        inner = byLiger ? ligerGated(g, named[0], named[1])
                        : g.multiply(named[1], opening(g, named[0]));
    } else if (mlp.kind == MlpKind::Gated && byLiger) {
        const TensorId gate = widen("gate_proj", "gate");
        inner = ligerGated(g, gate, widen("up_proj", "up"));
    } else if (mlp.kind == MlpKind::Gated) {
        const TensorId gate = opening(g, widen("gate_proj", "gate"));
        inner = g.multiply(gate, widen("up_proj", "up"));
    } else {
        const TensorId up = widen("up_proj", "up");
        g.enterModule();
        inner = usesConv1d(scenario)             ? geluWritten(g, up)
                : hfCodeOf(scenario).opensByRelu ? g.relu(up)
                                                 : g.gelu(up);
        g.leaveModule();
    }
    const LinearSite down{
        "down_proj", mlpTarget(scenario, "down"), shape.width, scenario.model.hidden, mlp.bias};
    const TensorId narrowed = siteLinear(g, scenario.settings, down, inner);
    if (byLiger) {
        g.holdUntilHere(named);
    }
    const TensorId reduced = droppedResidual(g, scenario, reducePartial(g, shape, narrowed));
    const TensorId dropped = callDropout(g, scenario, reduced);
    g.leaveModule();
    return dropped;
}

}  // namespace

std::int64_t residualWidth(const Settings& settings) {
    return settings.precision.autocast && !gathersCast(settings)
               ? storedWidth(settings)
               : bytesPerElement(settings.precision.compute);
}

std::int64_t residualWidth(const Settings& settings, std::int64_t layer) {
    constexpr std::int64_t kWideBytes = 4;
    const bool widened = settings.tuning == Tuning::Lora && layer > 0 && widensOutput(settings);
    return widened ? kWideBytes : residualWidth(settings);
}

OpBuilder::Options builderOptions(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    return {
        .computeWidth = bytesPerElement(settings.precision.compute),
        .storedWidth = storedWidth(settings),
        .autocast = settings.precision.autocast,
        .linearInPython =
            settings.engine == Engine::DeepSpeed && scenario.layout.shard == Shard::Zero3,
        .frozen = settings.tuning == Tuning::Lora,
        .gatheredWidth = gathersCast(settings) ? bytesPerElement(settings.precision.compute) : 0,
        .threads = residentThreads(scenario.cluster.node.gpu)};
}

/// Under sequence parallelism the norm's output is gathered over tp before the column-split GEMMs.
TensorId gatherSequence(OpBuilder& g, const RankShape& shape, TensorId x) {
    if (!shape.sp) {
        return x;
    }
    const TensorInfo in = g.info(x);
    const TensorId out = g.fresh(in.elements * shape.tp, in.width, in.requiresGrad);
    g.push({.kind = OpKind::Collective, .name = "all_gather", .inputs = {x}, .outputs = {out}});
    return out;
}

/// The row-split GEMM's partial sums are scattered over the sequence, or all-reduced in place.
TensorId reducePartial(OpBuilder& g, const RankShape& shape, TensorId x) {
    if (shape.tp == 1) {
        return x;
    }
    const std::int64_t parts = shape.sp ? shape.tp : 1;
    const TensorInfo in = g.info(x);
    const TensorId out = g.fresh(in.elements / parts, in.width, in.requiresGrad);
    g.push({.kind = OpKind::Collective,
            .name = shape.sp ? "reduce_scatter" : "all_reduce",
            .inputs = {x},
            .outputs = {out}});
    return out;
}

/// torch's context-parallel attention merges the parts that the ranks of the ring computed into a
/// tensor of its own, which the output projection keeps in addition to the attention's.
TensorId mergeContext(OpBuilder& g, const Scenario& scenario, TensorId parts) {
    if (scenario.layout.cp == 1 || scenario.settings.kernels.code != ModelCode::TorchTitan) {
        return parts;
    }
    return g.pointwise("merge_context", {parts}, g.info(parts).elements, g.info(parts).width, {});
}

TensorId callDropout(OpBuilder& g, const Scenario& scenario, TensorId x) {
    if (!usesConv1d(scenario)) {
        return x;
    }
    g.enterModule();
    const TensorId out = scenario.model.dropsResiduals ? g.dropout(x) : x;
    g.leaveModule();
    return out;
}

TensorId eagerNorm(OpBuilder& g, const Scenario& scenario, TensorId x, std::string_view name) {
    const std::int64_t hidden = scenario.model.hidden;
    const std::int64_t rows = g.info(x).elements / hidden;
    g.enterModule();
    const int weight = g.weight(name, hidden, false);
    TensorId out = kNoTensor;
    if (scenario.model.norm != NormKind::Rms) {
        WeightIds weights{weight};
        if (scenario.model.norm == NormKind::Layer) {
            weights.push_back(g.weight("bias", hidden, false));
        }
        out = g.layerNorm(x, rows, weights);
    } else if (scenario.settings.kernels.norm == NormKernel::Fused) {
        out = g.rmsNorm(x, rows, weight);
    } else if (scenario.settings.kernels.norm == NormKernel::Liger) {
        out = ligerNorm(g, scenario, x, rows, weight);
    } else {
        out = g.rmsNormFp32(x, rows, weight, hfCodeOf(scenario).norm);
    }
    g.leaveModule();
    return out;
}

/// Attention of queries, keys and values as the scenario's kernel computes it.
UnfusedAttention attendedBy(OpBuilder& g,
                            const Scenario& scenario,
                            const RankShape& shape,
                            const Projected& p,
                            TensorId mask) {
    const AttentionSpec& attention = scenario.model.attention;
    const int sinks = attention.sinks ? g.weight("sinks", shape.heads, false) : -1;
    if (writesAttention(scenario)) {
        return unfusedAttention(g, scenario, p, mask, sinks);
    }
    if (attendsByMath(scenario)) {
        return {.out = mathAttention(g, scenario, p)};
    }
    const OpBuilder::AttentionShape sizes{.tokens = shape.tokens,
                                          .heads = shape.heads,
                                          .kvHeads = shape.kvHeads,
                                          .headDim = attention.headDim,
                                          .valueDim = attention.headDim,
                                          .batch = shape.batch,
                                          .sequence = shape.sequence};
    UnfusedAttention made{.out = mask != kNoTensor ? maskedAttention(g, scenario, p, mask, sizes)
                                                   : g.flashAttention(p.q, p.k, p.v, sizes)};
    if (sinks >= 0) {
        g.last().weights = {sinks};
    }
    if (hfCodeOf(scenario).joinsRotary && !rotatesByLiger(scenario)) {
        // Joined queries lie head by head; the kernel's output does too, and is put in order.
        made.out = g.pointwise(
            "contiguous", {made.out}, g.info(made.out).elements, g.info(made.out).width, {});
        g.last().passesGradient = true;
    }
    return made;
}

/// Queries and keys with their rotary embedding.
Projected positioned(OpBuilder& g,
                     const Scenario& scenario,
                     const Rotary& table,
                     const Projected& projections,
                     std::int64_t layer) {
    if (hfCodeOf(scenario).rotatesInWindows) {
        return positionedInWindows(g, scenario, table, projections, layer);
    }
    Projected out = projections;
    if (rotatesByLiger(scenario)) {
        out = rotateByLiger(g, scenario, table, projections);
    } else {
        out.q = rotate(g, scenario, table, projections.q);
        out.k = rotate(g, scenario, table, projections.k);
    }
    g.holdUntilHere({projections.q, projections.k});
    return out;
}

LayerAttention eagerAttention(OpBuilder& g,
                              const Scenario& scenario,
                              TensorId x,
                              std::int64_t layer) {
    const RankShape shape = rankShape(scenario);
    const Rotary table = rotaryTable(g, scenario, shape);
    const TensorId mask = writesAttention(scenario) ? attentionMask(g, scenario, layer)
                                                    : windowMask(g, scenario, layer);
    g.enterModule();
    const TensorId full = gatherSequence(g, shape, x);
    const Projected projections = projectQkv(g, scenario, shape, full);
    const Projected p = positioned(g, scenario, table, projections, layer);
    g.module("core_attn");
    const UnfusedAttention attended = attendedBy(g, scenario, shape, p, mask);
    const TensorId joined = mergeContext(g, scenario, attended.out);
    g.module("");
    const AttentionSpec& attention = scenario.model.attention;
    const std::int64_t inputs = shape.heads * attention.headDim;
    const TensorId projected =
        siteLinear(g,
                   scenario.settings,
                   {"o_proj", "o", inputs, scenario.model.hidden, attention.outBias},
                   joined);
    g.holdUntilHere({p.q, p.k, p.v});
    const TensorId reduced = droppedResidual(g, scenario, reducePartial(g, shape, projected));
    const TensorId dropped = callDropout(g, scenario, reduced);
    g.leaveModule();
    return {dropped, hfCodeOf(scenario).namesAttention ? dropped : attended.weights};
}

/// Attention as the model and its code have it.
LayerAttention attentionOf(OpBuilder& g, const Scenario& scenario, TensorId x, std::int64_t layer) {
    if (scenario.model.attention.kind != AttentionKind::Latent) {
        return eagerAttention(g, scenario, x, layer);
    }
    const bool titan = scenario.settings.kernels.code == ModelCode::TorchTitan;
    return {titan ? latentAttention(g, scenario, x) : hfLatentAttention(g, scenario, x), kNoTensor};
}

/// The MLP, or the experts.
HfMoe feedForward(OpBuilder& g, const Scenario& scenario, TensorId x, std::int64_t layer) {
    HfMoe fed;
    if (!scenario.model.isSparse(layer)) {
        fed.out = eagerMlp(g, scenario, x);
    } else if (scenario.settings.kernels.code == ModelCode::TorchTitan) {
        fed.out = torchtitanMoe(g, scenario, x);
    } else if (usesDeepSpeedMoe(scenario)) {
        fed = deepspeedMoe(g, scenario, x);
    } else if (usesAutoEp(scenario)) {
        fed = autoEpMoe(g, scenario, x);
    } else {
        fed = huggingFaceMoe(g, scenario, x);
    }
    return fed;
}

/// x + (attention(norm(x)) + mlp(norm(x))), with one norm for both or two.
TensorId parallelBlocks(OpBuilder& g, const Scenario& scenario, TensorId x, std::int64_t layer) {
    const TensorId normed = eagerNorm(g, scenario, x, "input_layernorm");
    const LayerAttention attention = attentionOf(g, scenario, normed, layer);
    g.module("mlp");
    const bool shared = scenario.model.normsPerLayer == 1;
    const TensorId ready = shared ? normed : eagerNorm(g, scenario, x, "post_attention_layernorm");
    const HfMoe fed = feedForward(g, scenario, ready, layer);
    g.holdUntilHere({ready});
    g.module("");
    const TensorId out = g.add(g.add(fed.out, attention.out), x);
    g.holdUntilHere({attention.out, fed.out});
    return out;
}

/// h = x + attention(norm(x)), then h + mlp(norm(h)); norms may stand behind a block too.
TensorId blocksInTurn(OpBuilder& g, const Scenario& scenario, TensorId x, std::int64_t layer) {
    const NormPlacement placement = scenario.model.normPlacement;
    const bool before = placement != NormPlacement::After;
    const bool isAround = placement == NormPlacement::Around;
    const TensorId normed = before ? eagerNorm(g, scenario, x, "input_layernorm") : x;
    const LayerAttention attention = attentionOf(g, scenario, normed, layer);
    g.holdUntilHere({normed});
    const auto readyToAdd = [&](TensorId out, std::string_view name) {
        const bool scales = hfCodeOf(scenario).scalesResiduals;
        if (placement == NormPlacement::Before && !scales) {
            return out;
        }
        const TensorId after =
            scales ? g.pointwise("scale", {out}, g.info(out).elements, g.info(out).width, {})
                   : eagerNorm(g, scenario, out, name);
        g.holdUntilHere({out});
        return after;
    };
    const TensorId attended = g.add(x, readyToAdd(attention.out, "post_attention_layernorm"));
    g.module("mlp");
    const TensorId ready =
        before ? eagerNorm(g,
                           scenario,
                           attended,
                           isAround ? "pre_feedforward_layernorm" : "post_attention_layernorm")
               : attended;
    const HfMoe fed = feedForward(g, scenario, ready, layer);
    g.holdUntilHere({ready});
    if (attention.weights != kNoTensor) {
        g.holdUntilHere({attention.weights});
    }
    g.module("");
    const TensorId out = g.add(attended, readyToAdd(fed.out, "post_feedforward_layernorm"));
    if (fed.kept != kNoTensor) {
        g.holdUntilHere({fed.kept});
    }
    return out;
}

OpList eagerLayer(const Scenario& scenario, std::int64_t layer) {
    OpBuilder::Options options = layerOptions(scenario, layer);
    options.linearInPython = options.linearInPython && !usesConv1d(scenario);
    OpBuilder g(options);
    const RankShape shape = rankShape(scenario);
    const TensorId x =
        g.input(shape.localTokens * scenario.model.hidden, residualWidth(scenario.settings, layer));
    g.enterModule();
    const TensorId out = scenario.model.parallelResidual ? parallelBlocks(g, scenario, x, layer)
                                                         : blocksInTurn(g, scenario, x, layer);
    g.leaveModule();
    return g.finish(out);
}

std::vector<std::int64_t> sharedTableBytes(const Scenario& scenario) {
    if (scenario.model.position == PositionKind::Rope && isMegatronCode(scenario)) {
        return megatronTableBytes(scenario);
    }
    std::vector<std::int64_t> tables = rotaryTableBytes(scenario);
    for (const auto& masks : {attentionMaskBytes(scenario), windowMaskBytes(scenario)}) {
        tables.insert(tables.end(), masks.begin(), masks.end());
    }
    return tables;
}

}  // namespace fabricast
