#include "planner/launch/megatron_arguments.h"
#include "planner/stack/packaged_models.h"

namespace fabricast {
namespace {

void addAttention(const AttentionSpec& attention, MegatronArguments& out) {
    out.add("--num-attention-heads", attention.heads);
    if (attention.kind == AttentionKind::Latent) {
        out.add("--multi-latent-attention");
        if (attention.qLoraRank > 0) {
            out.add("--q-lora-rank", attention.qLoraRank);
        }
        out.add("--kv-lora-rank", attention.kvLoraRank);
        out.add("--qk-head-dim", attention.qkNopeDim);
        out.add("--qk-pos-emb-head-dim", attention.qkRopeDim);
        out.add("--v-head-dim", attention.vHeadDim);
    } else {
        if (attention.kvHeads != attention.heads) {
            out.add("--group-query-attention");
            out.add("--num-query-groups", attention.kvHeads);
        }
        out.add("--kv-channels", attention.headDim);
        out.addIf(attention.qkvBias, "--add-qkv-bias");
    }
    // Latent attention has norms of what it projects down, which Megatron adds only if asked.
    const bool latent = attention.kind == AttentionKind::Latent;
    out.addIf(latent || attention.qkNorm != QkNorm::None, "--qk-layernorm");
}

/// "([0]*3+[1]*58)": runs of dense and sparse layers.
std::string layerPattern(const ModelSpec& model) {
    std::string text = "(";
    for (std::int64_t layer = 0; layer < model.layers;) {
        std::int64_t end = layer;
        while (end < model.layers && model.isSparse(end) == model.isSparse(layer)) {
            ++end;
        }
        text += (layer == 0 ? "[" : "+[") + std::string(model.isSparse(layer) ? "1" : "0") + "]*" +
                std::to_string(end - layer);
        layer = end;
    }
    return text + ")";
}

void addExperts(const ModelSpec& model, const MoeSpec& moe, MegatronArguments& out) {
    out.begin("experts");
    out.add("--num-experts", moe.experts);
    out.add("--moe-router-topk", moe.topK);
    out.add("--moe-ffn-hidden-size", moe.expertWidth);
    out.add("--moe-layer-freq", layerPattern(model));
    if (moe.sharedWidth > 0) {
        out.add("--moe-shared-expert-intermediate-size", moe.sharedWidth);
        out.addIf(moe.sharedGate, "--moe-shared-expert-gate");
    }
    out.add("--moe-router-score-function", std::string(moe.sigmoidScore ? "sigmoid" : "softmax"));
    out.addIf(moe.correctionBias, "--moe-router-enable-expert-bias");
}

}  // namespace

Result<void> addMegatronModel(const ModelSpec& model, MegatronArguments& out) {
    FABRICAST_TRY(checkMegatronCode(model));
    out.begin("model");
    out.add("--num-layers", model.layers);
    out.add("--hidden-size", model.hidden);
    out.add("--ffn-hidden-size", model.mlp.width > 0 ? model.mlp.width : model.moe->expertWidth);
    addAttention(model.attention, out);
    out.addIf(model.mlp.kind == MlpKind::Gated, "--swiglu");
    out.add("--normalization", std::string(model.norm == NormKind::Rms ? "RMSNorm" : "LayerNorm"));
    out.addIf(!model.mlp.bias && !model.attention.outBias, "--disable-bias-linear");
    out.addIf(!model.tiedEmbeddings, "--untie-embeddings-and-output-weights");
    const bool rope = model.position == PositionKind::Rope;
    out.add("--position-embedding-type", std::string(rope ? "rope" : "learned_absolute"));
    if (!model.window.empty() && model.window.front() > 0) {
        out.groups.back().arguments.push_back(
            {"--window-size", {std::to_string(model.window.front() - 1), "0"}});
    }
    if (model.moe) {
        addExperts(model, *model.moe, out);
    }
    if (model.mtpDepth > 0) {
        out.add("--mtp-num-layers", model.mtpDepth);
    }
    return {};
}

}  // namespace fabricast
