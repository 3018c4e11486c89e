#include "planner/ops/megatron_layer.h"

#include "planner/ops/dense_layer.h"
#include "planner/ops/megatron_attention.h"
#include "planner/ops/megatron_mlp.h"
#include "planner/ops/megatron_moe.h"

namespace fabricast {

namespace {

Result<void> checkShape(const ModelSpec& model) {
    if (model.mtpDepth > 0 && model.position == PositionKind::Learned) {
        return fail(Error::Code::Unsupported,
                    "model.mtp_depth",
                    "megatron-core predicts further tokens with rotary or no positions only");
    }
    if (model.normsPerLayer != 2 || model.parallelResidual ||
        model.normPlacement != NormPlacement::Before) {
        return fail(Error::Code::Unsupported,
                    "model",
                    "megatron-core's layer has one norm before attention and one before the MLP");
    }
    return {};
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

}  // namespace

std::vector<std::int64_t> megatronTableBytes(const Scenario& scenario) {
    const AttentionSpec& attention = scenario.model.attention;
    if (attention.kind != AttentionKind::Latent ||
        scenario.settings.kernels.code == ModelCode::TransformerEngine) {
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
    FABRICAST_TRY(checkShape(scenario.model));
    OpBuilder g(builderOptions(scenario));
    MegatronCode m = megatronCode(g, scenario);
    const TensorId x =
        g.input(m.shape.localTokens * scenario.model.hidden, residualWidth(scenario.settings));
    return g.finish(megatronLayerOps(m, x, scenario.model.isSparse(layer)));
}

}  // namespace fabricast
