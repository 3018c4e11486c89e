#include "planner/ops/flops.h"

#include "planner/ops/matmul_flops.h"
#include "planner/ops/parameters.h"

#include <algorithm>
#include <array>
#include <string>

namespace fabricast {
namespace {

constexpr std::array kConventions{
    FlopsConventionText{FlopsConvention::Matmul,
                        "matmul",
                        "6·(matrices in use, with the head) + 6·a·(d_qk+d_v)·Σ mean tokens seen"},
    FlopsConventionText{FlopsConvention::Megatron,
                        "megatron",
                        "6·(matrices in use, with the head) + 3·L·a·(d_qk+d_v)·s"},
    FlopsConventionText{
        FlopsConvention::Megatron2021, "megatron-2021", "72·L·h²·(1 + s/(6h) + V/(12hL))"},
    FlopsConventionText{
        FlopsConvention::Nemo, "nemo", "L·h²·(12 + 12g/a + 18kf/h + 6s/h + 6V/(Lh))"},
    FlopsConventionText{
        FlopsConvention::TorchTitan, "torchtitan", "6·(N − N_embedding) + 6·L·a·(d_qk+d_v)·s"},
    FlopsConventionText{FlopsConvention::Palm, "palm", "6·N + 6·L·a·(d_qk+d_v)·s"},
    FlopsConventionText{FlopsConvention::LlmFoundry, "llm-foundry", "6·N + 12·L·h·s"},
    FlopsConventionText{FlopsConvention::SixN, "6n", "6·N"},
};

double asDouble(std::int64_t value) {
    return static_cast<double>(value);
}

std::string_view nameOf(FlopsConvention convention) {
    for (const FlopsConventionText& text : kConventions) {
        if (text.convention == convention) {
            return text.name;
        }
    }
    return "unknown";
}

Result<Flops> noFormula(FlopsConvention convention, const std::string& why) {
    return fail(Error::Code::Unsupported,
                std::string(nameOf(convention)),
                "this convention has no formula for " + why,
                "use matmul, megatron, torchtitan, palm, llm-foundry or 6n");
}

/// 72·L·h²·(1 + s/(6h) + V/(12hL)); with attention's core recomputed s/(3h); with everything
/// 96·L·h²·(1 + s/(6h) + V/(16hL)), since the head is not recomputed.
Result<Flops> megatron2021(const ModelSpec& model, double s, FlopsRecomputed recomputed) {
    const bool isGpt = model.attention.kind == AttentionKind::Grouped &&
                       model.attention.kvHeads == model.attention.heads &&
                       model.attention.heads * model.attention.headDim == model.hidden &&
                       model.mlp.kind == MlpKind::Plain && model.mlp.width == 4 * model.hidden &&
                       !model.moe;
    if (!isGpt) {
        return noFormula(
            FlopsConvention::Megatron2021,
            "anything but a GPT: full multi-head attention, plain MLP of 4h, no experts");
    }
    const double h = asDouble(model.hidden);
    const double layers = asDouble(model.layers);
    const double vocab = asDouble(model.vocab);
    const bool everything = recomputed == FlopsRecomputed::Everything;
    const double products = everything ? 96.0 : 72.0;
    const double scores = recomputed == FlopsRecomputed::AttentionCore ? s / (3 * h) : s / (6 * h);
    const double logits = vocab / ((everything ? 16.0 : 12.0) * h * layers);
    return Flops(products * layers * h * h * (1 + scores + logits));
}

/// L·h²·(12 + 12g/a + 18kf/h + 12s/h·½ + 6V/(Lh)), k·f the width of the active experts.
Result<Flops> nemo(const ModelSpec& model, double s) {
    const bool isLlama =
        model.attention.kind == AttentionKind::Grouped && model.mlp.kind == MlpKind::Gated;
    const bool isMixtral =
        isLlama && model.moe && model.moe->sharedWidth == 0 &&
        std::find(model.sparse.begin(), model.sparse.end(), false) == model.sparse.end();
    if (!isLlama || (model.moe && !isMixtral)) {
        return noFormula(FlopsConvention::Nemo, "anything but the shapes of Llama and Mixtral");
    }
    const double h = asDouble(model.hidden);
    const double layers = asDouble(model.layers);
    const double group = asDouble(model.attention.kvHeads) / asDouble(model.attention.heads);
    const double width = model.moe ? asDouble(model.moe->topK) * asDouble(model.moe->expertWidth)
                                   : asDouble(model.mlp.width);
    return Flops(
        layers * h * h *
        (12 + 12 * group + 18 * width / h + 6 * s / h + 6 * asDouble(model.vocab) / (layers * h)));
}

}  // namespace

std::span<const FlopsConventionText> flopsConventions() {
    return kConventions;
}

Result<Flops> flopsPerToken(const ModelSpec& model,
                            std::int64_t sequence,
                            FlopsConvention convention,
                            FlopsRecomputed recomputed) {
    const bool counted =
        recomputed == FlopsRecomputed::Nothing || convention == FlopsConvention::Megatron2021 ||
        (convention == FlopsConvention::LlmFoundry && recomputed == FlopsRecomputed::Everything);
    if (!counted) {
        return noFormula(convention, "what is recomputed");
    }
    const double s = asDouble(sequence);
    const double active = asDouble(countParameters(model).active);
    const double scores = 6 * asDouble(model.layers) * scoreElements(model) * s;
    switch (convention) {
        case FlopsConvention::Matmul:
            return matmulFlopsPerToken(model, sequence);
        case FlopsConvention::Megatron:
            return megatronFlopsPerToken(model, sequence);
        case FlopsConvention::Megatron2021:
            return megatron2021(model, s, recomputed);
        case FlopsConvention::Nemo:
            return nemo(model, s);
        case FlopsConvention::TorchTitan: {
            const double table =
                model.tiedEmbeddings ? 0 : asDouble(countParameters(model).embedding);
            return Flops(6 * (active - table) + scores);
        }
        case FlopsConvention::Palm:
            return Flops(6 * active + scores);
        case FlopsConvention::LlmFoundry: {
            const double once =
                6 * active + 12 * asDouble(model.layers) * asDouble(model.hidden) * s;
            return Flops(recomputed == FlopsRecomputed::Everything ? once * 4 / 3 : once);
        }
        case FlopsConvention::SixN:
            return Flops(6 * active);
    }
    return noFormula(convention, "any model");
}

}  // namespace fabricast
