#include "planner/ops/matmul_flops.h"

#include "planner/ops/parameters.h"

#include <vector>

namespace fabricast {
namespace {

constexpr double kForwardAndBackward = 3.0;  // backward is two products for each of forward
constexpr double kMultiplyAdd = 2.0;

bool isLookup(Part part) {
    return part == Part::Embedding || part == Part::Position;
}

double activeElements(const ModelSpec& model, const std::vector<Parameter>& parameters) {
    double elements = 0;
    for (const Parameter& parameter : parameters) {
        if (!parameter.isMatrix() || isLookup(parameter.part)) {
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

}  // namespace

double activeMatrixElements(const ModelSpec& model) {
    double elements = activeElements(model, embeddingParameters(model)) +
                      activeElements(model, headParameters(model)) +
                      (model.tiedEmbeddings ? logitsElements(model) : 0);
    double dense = -1;
    double sparse = -1;
    for (std::int64_t layer = 0; layer < model.layers; ++layer) {
        double& one = model.isSparse(layer) ? sparse : dense;
        if (one < 0) {
            one = activeElements(model, layerParameters(model, layer));
        }
        elements += one;
    }
    return elements;
}

double activePredictionElements(const ModelSpec& model) {
    return static_cast<double>(model.mtpDepth) *
           (activeElements(model, mtpParameters(model)) + logitsElements(model));
}

double scoreElements(const ModelSpec& model) {
    const AttentionSpec& attention = model.attention;
    const std::int64_t perHead = attention.keyDim() + attention.valueDim();
    return static_cast<double>(attention.heads) * static_cast<double>(perHead);
}

double meanTokensSeen(std::int64_t sequence, std::int64_t window) {
    const auto s = static_cast<double>(sequence);
    if (window <= 0 || window >= sequence) {
        return (s + 1) / 2;
    }
    // The first w tokens see 1, 2, ..., w; the others w each.
    const auto w = static_cast<double>(window);
    return (w * (w + 1) / 2 + (s - w) * w) / s;
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

}  // namespace fabricast
