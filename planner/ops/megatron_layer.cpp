#include "planner/ops/megatron_layer.h"

#include "planner/ops/dense_layer.h"
#include "planner/ops/megatron_linear.h"
#include "planner/ops/megatron_moe.h"
#include "planner/ops/trained_weights.h"
#include "planner/spec/megatron_shape.h"

#include <vector>

namespace fabricast {

namespace {

bool stepByStep(const MegatronCode& m) {
    return m.scenario.settings.kernels.activation == ActivationKernel::Eager;
}

ByteList copies(std::int64_t bytes, std::size_t count) {
    ByteList list;
    for (std::size_t i = 0; i < count; ++i) {
        list.push_back(bytes);
    }
    return list;
}

/// "layernorm" recompute frees the norm's output after the module that reads it.
struct RecomputedNorm {
    TensorId out = kNoTensor;
    int block = -1;
};
RecomputedNorm normBefore(MegatronCode& m, TensorId x, std::string_view name) {
    RecomputedNorm norm;
    norm.block = m.g.openBlock(m.recomputes("layernorm"));
    norm.out = megatronNorm(m, x, name);
    m.g.closeBlock(norm.block);
    return norm;
}

TensorId geluActivation(MegatronCode& m, TensorId x, int bias) {
    const TensorId out = m.g.gelu(x);
    if (bias >= 0) {
        m.g.last().weights = {bias};
    }
    if (stepByStep(m)) {  // the tanh form, term by term
        const std::int64_t bytes = m.g.info(out).bytes;
        m.g.last().forwardTemps = copies(bytes, 4);
        m.g.last().backwardTemps = copies(bytes, 5);
    }
    return out;
}

}  // namespace

TensorId gatedActivation(MegatronCode& m, TensorId gateAndUp) {
    const TensorId out = m.g.swiglu(gateAndUp);
    if (stepByStep(m)) {  // silu(gate); backward: the two halves before they are joined
        const std::int64_t half = m.g.info(out).bytes;
        m.g.last().forwardTemps = copies(half, 1);
        m.g.last().backwardTemps = copies(half, 2);
    } else {
        markSaved(m);  // SwiGLUFunction; Megatron-Core's other activations mark nothing
    }
    return out;
}

MlpOutput megatronMlp(MegatronCode& m, TensorId x) {
    const MlpSpec& mlp = m.scenario.model.mlp;
    const std::int64_t hidden = m.scenario.model.hidden;
    const std::int64_t width = m.shape.width;
    const bool gated = mlp.kind == MlpKind::Gated;
    const std::int64_t first = gated ? 2 * width : width;
    MlpOutput result;
    const int up = megatronWeight(m, {.name = "linear_fc1", .inputs = hidden, .outputs = first});
    const int upBias = mlp.bias ? m.g.weight("bias", first, false) : -1;
    const int down = megatronWeight(m, {.name = "linear_fc2", .inputs = width, .outputs = hidden});
    result.bias = mlp.bias ? m.g.weight("bias", hidden, false) : -1;
    const int block = m.g.openBlock(m.recomputes("mlp"));
    const TensorId inner = withAdapter(m,
                                       x,
                                       columnParallel(m, x, up, first),
                                       {.target = "gate", .inputs = hidden, .outputs = first});
    TensorId active = kNoTensor;
    if (gated) {
        active = gatedActivation(m, inner);
        if (upBias >= 0) {
            m.g.last().weights = {upBias};
        }
    } else {
        active = geluActivation(m, inner, upBias);
    }
    result.out = withAdapter(m,
                             active,
                             rowParallel(m, active, down, hidden),
                             {.target = "down", .inputs = width, .outputs = hidden, .row = true});
    m.g.closeBlock(block);
    return result;
}

std::vector<std::int64_t> megatronTableBytes(const Scenario& scenario) {
    const AttentionSpec& attention = scenario.model.attention;
    if (attention.kind != AttentionKind::Latent ||
        (scenario.settings.kernels.code == ModelCode::TransformerEngine &&
         scenario.settings.megatron.ropeFusion)) {
        return {};
    }
    return {4 * rankShape(scenario).sequence * attention.qkRopeDim};
}

TensorId megatronLayerOps(MegatronCode& m, TensorId x, bool sparse) {
    OpBuilder& g = m.g;
    const RecomputedNorm first = normBefore(m, x, "input_layernorm");
    const AttentionOutput attention = m.scenario.model.attention.kind == AttentionKind::Latent
                                          ? megatronLatentAttention(m, first.out)
                                          : megatronAttention(m, first.out);
    g.discardOutputs(first.block);
    const TensorId attended = biasDropoutAdd(m, attention.out, x, attention.bias);
    const RecomputedNorm second = normBefore(m, attended, "pre_mlp_layernorm");
    const MlpOutput mlp =
        sparse ? MlpOutput{.out = megatronMoe(m, second.out)} : megatronMlp(m, second.out);
    g.discardOutputs(second.block);
    return biasDropoutAdd(m, mlp.out, attended, mlp.bias);
}

Result<OpList> megatronLayer(const Scenario& scenario, std::int64_t layer) {
    FABRICAST_TRY(checkMegatronShape(scenario.model));
    OpBuilder g(layerOptions(scenario, layer));
    MegatronCode m = megatronCode(g, scenario);
    const TensorId x =
        g.input(m.shape.localTokens * scenario.model.hidden, residualWidth(scenario.settings));
    return g.finish(megatronLayerOps(m, x, scenario.model.isSparse(layer)));
}

}  // namespace fabricast
