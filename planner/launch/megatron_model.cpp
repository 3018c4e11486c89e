#include "planner/launch/megatron_arguments.h"
#include "planner/spec/attention_model.h"
#include "planner/stack/model_code.h"

#include <algorithm>
#include <cstddef>
#include <vector>

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
    if (attention.sinks) {
        out.add("--softmax-type", std::string("learnable"));
    }
}

/// "([0]*3+[1]*58)": runs of layers that are something, and of others.
std::string layerPattern(const std::vector<bool>& layers) {
    std::string text = "(";
    for (std::size_t layer = 0; layer < layers.size();) {
        std::size_t end = layer;
        while (end < layers.size() && layers[end] == layers[layer]) {
            ++end;
        }
        text += (layer == 0 ? "[" : "+[") + std::string(layers[layer] ? "1" : "0") + "]*" +
                std::to_string(end - layer);
        layer = end;
    }
    return text + ")";
}

std::vector<bool> sparseLayers(const ModelSpec& model) {
    std::vector<bool> sparse;
    for (std::int64_t layer = 0; layer < model.layers; ++layer) {
        sparse.push_back(model.isSparse(layer));
    }
    return sparse;
}

/// Every n-th layer sees everything; 0 where those that do are not so spread.
std::size_t fullEvery(const std::vector<bool>& windowed) {
    const auto first =
        static_cast<std::size_t>(std::ranges::find(windowed, false) - windowed.begin()) + 1;
    for (std::size_t layer = 0; layer < windowed.size(); ++layer) {
        if (windowed[layer] != ((layer + 1) % first != 0)) {
            return 0;
        }
    }
    return first;
}

/// Windows of the layers that have one: as many positions before its own as a row sees.
void addWindows(const std::vector<std::int64_t>& windows, MegatronArguments& out) {
    const std::int64_t size = windows.empty() ? 0 : std::ranges::max(windows);
    if (size == 0) {
        return;
    }
    out.add("--window-size", std::to_string(size - 1) + ",0");
    std::vector<bool> windowed;
    for (const std::int64_t one : windows) {
        windowed.push_back(one > 0);
    }
    if (std::ranges::find(windowed, false) != windowed.end()) {
        const std::size_t every = fullEvery(windowed);
        out.add("--window-attn-skip-freq",
                every > 0 ? std::to_string(every) : layerPattern(windowed));
    }
}

/// Both halves of the activation's input are clamped, and it is GELU's quick form: gpt-oss, whose
/// code has no other numbers.
void addActivation(const ModelSpec& model, MegatronArguments& out) {
    if (model.moe && model.moe->clampedGlu) {
        out.add("--quick-geglu");
        out.add("--glu-linear-offset", std::string("1.0"));
        out.add("--activation-func-clamp-value", std::string("7.0"));
    } else {
        out.addIf(model.mlp.kind == MlpKind::Gated, "--swiglu");
    }
}

void addExperts(const ModelSpec& model, const MoeSpec& moe, MegatronArguments& out) {
    out.begin("experts");
    out.add("--num-experts", moe.experts);
    out.add("--moe-router-topk", moe.topK);
    out.add("--moe-ffn-hidden-size", moe.expertWidth);
    out.add("--moe-layer-freq", layerPattern(sparseLayers(model)));
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
    addActivation(model, out);
    out.add("--normalization", std::string(model.norm == NormKind::Rms ? "RMSNorm" : "LayerNorm"));
    out.addIf(!model.mlp.bias && !model.attention.outBias, "--disable-bias-linear");
    out.addIf(!model.tiedEmbeddings, "--untie-embeddings-and-output-weights");
    const bool rope = model.position == PositionKind::Rope;
    out.add("--position-embedding-type", std::string(rope ? "rope" : "learned_absolute"));
    if (const double share = rotatedShare(model); rope && share < 1.0) {
        out.add("--rotary-percent", decimalText(share));
    }
    addWindows(model.window, out);
    if (model.moe) {
        addExperts(model, *model.moe, out);
    }
    if (model.mtpDepth > 0) {
        out.add("--mtp-num-layers", model.mtpDepth);
    }
    return {};
}

}  // namespace fabricast
