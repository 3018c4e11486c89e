#include "planner/ops/flops.h"

#include "planner/base/integers.h"
#include "planner/ops/parameters.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace fabricast {

namespace {

constexpr double kForwardAndBackward = 3.0;  // backward is two products for each of forward
constexpr double kMultiplyAdd = 2.0;

bool isLookup(Part part) {
    return part == Part::Embedding || part == Part::Position;
}

enum class Counted { All, RoutedExperts };

double activeElements(const ModelSpec& model,
                      const std::vector<Parameter>& parameters,
                      Counted counted = Counted::All) {
    double elements = 0;
    for (const Parameter& parameter : parameters) {
        if (!parameter.isMatrix() || isLookup(parameter.part) ||
            (counted == Counted::RoutedExperts && parameter.part != Part::RoutedExperts)) {
            continue;
        }
        const bool routed = parameter.part == Part::RoutedExperts && model.moe;
        const double copies = static_cast<double>(routed ? model.moe->topK : parameter.copies);
        elements +=
            copies * static_cast<double>(parameter.rows) * static_cast<double>(parameter.cols);
    }
    return elements;
}

/// The head's product is made even where its matrix is the input table.
double logitsElements(const ModelSpec& model) {
    const std::int64_t width = model.embeddingWidth > 0 ? model.embeddingWidth : model.hidden;
    return static_cast<double>(model.vocab) * static_cast<double>(width);
}

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

/// Elements of the matrices of all layers that one token is multiplied with.
double layerElements(const ModelSpec& model, Counted counted) {
    double dense = -1;
    double sparse = -1;
    double elements = 0;
    for (std::int64_t layer = 0; layer < model.layers; ++layer) {
        double& one = model.isSparse(layer) ? sparse : dense;
        if (one < 0) {
            one = activeElements(model, layerParameters(model, layer), counted);
        }
        elements += one;
    }
    return elements;
}

/// Elements of all matrices that one token is multiplied with, in forward: attention, MLP, router,
/// shared and top-k routed experts, head; no table lookups.
///     forward FLOPs per token of all linears = 2 · activeMatrixElements(model)
double activeMatrixElements(const ModelSpec& model) {
    return activeElements(model, embeddingParameters(model)) +
           activeElements(model, headParameters(model)) +
           (model.tiedEmbeddings ? logitsElements(model) : 0) + layerElements(model, Counted::All);
}

/// The same of the multi-token-prediction layers, each with its own logits.
double activePredictionElements(const ModelSpec& model) {
    return static_cast<double>(model.mtpDepth) *
           (activeElements(model, mtpParameters(model)) + logitsElements(model));
}

/// a·(d_qk + d_v): multiply-adds per token and position seen, for the scores and their use.
double scoreElements(const ModelSpec& model) {
    const AttentionSpec& attention = model.attention;
    const std::int64_t perHead = attention.keyDim() + attention.valueDim();
    return static_cast<double>(attention.heads) * static_cast<double>(perHead);
}

Flops matmulFlopsPerToken(const ModelSpec& model, std::int64_t sequence) {
    double seen = static_cast<double>(model.mtpDepth) * meanTokensSeen(sequence, 0);
    for (std::int64_t layer = 0; layer < model.layers; ++layer) {
        const std::int64_t window =
            model.window.empty() ? 0 : model.window[static_cast<std::size_t>(layer)];
        seen += meanTokensSeen(sequence, window);
    }
    const double elements =
        activeMatrixElements(model) + activePredictionElements(model) + scoreElements(model) * seen;
    return Flops(kForwardAndBackward * kMultiplyAdd * elements);
}

/// 6·(matrices in use) + 6·L·a·(d_qk+d_v)/2·s: the causal half as exactly s/2, windows not known.
Flops megatronFlopsPerToken(const ModelSpec& model, std::int64_t sequence) {
    const auto layers = static_cast<double>(model.layers) + static_cast<double>(model.mtpDepth);
    const double seen = layers * static_cast<double>(sequence) / 2;
    const double elements =
        activeMatrixElements(model) + activePredictionElements(model) + scoreElements(model) * seen;
    return Flops(kForwardAndBackward * kMultiplyAdd * elements);
}

}  // namespace

double meanTokensSeen(std::int64_t sequence, std::int64_t window) {
    const auto s = static_cast<double>(sequence);
    if (window <= 0 || window >= sequence) {
        return (s + 1) / 2;
    }
    // The first w tokens see 1, 2, ..., w; the others w each.
    const auto w = static_cast<double>(window);
    return (w * (w + 1) / 2 + (s - w) * w) / s;
}

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

Flops routedFlopsPerToken(const ModelSpec& model) {
    const double predicted =
        model.mtpDepth > 0 ? activeElements(model, mtpParameters(model), Counted::RoutedExperts)
                           : 0.0;
    const double elements = layerElements(model, Counted::RoutedExperts) +
                            static_cast<double>(model.mtpDepth) * predicted;
    return Flops(kForwardAndBackward * kMultiplyAdd * elements);
}

}  // namespace fabricast
