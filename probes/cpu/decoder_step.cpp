#include "probes/cpu/decoder_step.h"

#include "probes/cpu/layer_weights.h"
#include "probes/cpu/linear.h"
#include "probes/cpu/row_kernels.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricast::probe {

namespace {

/// A number between -1 and 1 that looks like chance, of a place.
float noise(std::uint64_t place) {
    std::uint64_t bits = place * 0x9E3779B97F4A7C15ULL;
    bits ^= bits >> 29U;
    bits *= 0xBF58476D1CE4E5B9ULL;
    bits ^= bits >> 32U;
    return static_cast<float>(bits & 0xFFFFFFU) / 8388608.0F - 1.0F;
}

}  // namespace

DecoderStep::DecoderStep(const DecoderShape& shape) : shape_(shape), scratch_(shape) {
    for (int layer = 0; layer < shape.layers; ++layer) {
        tapes_.emplace_back(shape);
    }
    const auto tokens = static_cast<std::size_t>(shape.tokens());
    x_.resize(tokens * static_cast<std::size_t>(shape.hidden));
    normed_.resize(x_.size());
    logits_.resize(tokens * static_cast<std::size_t>(shape.vocab));
}

double DecoderStep::run(std::span<const std::int32_t> tokens,
                        std::span<const std::int32_t> labels,
                        double allRows,
                        UnitStore& store) {
    embed(tokens, store);
    for (int layer = 1; layer <= shape_.layers; ++layer) {
        layerForward(
            shape_, store.weights(layer, false), x_, tapes_[static_cast<std::size_t>(layer - 1)]);
        store.ran(layer, false);
    }
    const double loss = head(labels, allRows, store);
    for (int layer = shape_.layers; layer >= 1; --layer) {
        const std::span<const float> weights = store.weights(layer, true);
        layerBackward(shape_,
                      weights,
                      tapes_[static_cast<std::size_t>(layer - 1)],
                      x_,
                      store.gradient(layer),
                      scratch_);
        store.ran(layer, true);
    }
    embedBackward(tokens, store);
    return loss;
}

void DecoderStep::embed(std::span<const std::int32_t> tokens, UnitStore& store) {
    const std::span<const float> table = store.weights(0, false);
    const auto hidden = static_cast<std::size_t>(shape_.hidden);
    for (std::size_t row = 0; row < tokens.size(); ++row) {
        std::ranges::copy(table.subspan(static_cast<std::size_t>(tokens[row]) * hidden, hidden),
                          x_.begin() + static_cast<std::ptrdiff_t>(row * hidden));
    }
    store.ran(0, false);
}

/// The last norm, the logits, the loss, and back again: x_ becomes its own gradient.
double DecoderStep::head(std::span<const std::int32_t> labels, double allRows, UnitStore& store) {
    const int top = shape_.top();
    const auto hidden = static_cast<std::size_t>(shape_.hidden);
    const Linear linear{shape_.tokens(), shape_.hidden, shape_.vocab};
    const std::span<const float> weights = store.weights(top, false);
    const std::span<const float> matrix = weights.subspan(hidden);
    rmsNorm(x_, weights.first(hidden), normed_);
    forward(linear, normed_, matrix, logits_);
    const double loss = crossEntropy(logits_, labels, shape_.vocab, allRows);
    const std::span<float> gradient = store.gradient(top);
    weightGradient(linear, logits_, normed_, gradient.subspan(hidden));
    inputGradient(linear, logits_, matrix, scratch_.a, false);
    std::ranges::fill(scratch_.b, 0.0F);
    rmsNormBackward(x_, weights.first(hidden), scratch_.a, scratch_.b, gradient.first(hidden));
    std::swap(x_, scratch_.b);
    store.ran(top, true);
    return loss;
}

void DecoderStep::embedBackward(std::span<const std::int32_t> tokens, UnitStore& store) {
    const std::span<float> gradient = store.gradient(0);
    std::ranges::fill(gradient, 0.0F);
    const auto hidden = static_cast<std::size_t>(shape_.hidden);
    for (std::size_t row = 0; row < tokens.size(); ++row) {
        addInto(gradient.subspan(static_cast<std::size_t>(tokens[row]) * hidden, hidden),
                std::span<const float>(x_).subspan(row * hidden, hidden));
    }
    store.ran(0, true);
}

void fillWeights(const DecoderShape& shape, int unit, std::span<float> weights) {
    const float scale = 1.0F / std::sqrt(static_cast<float>(shape.hidden));
    const auto first = static_cast<std::uint64_t>(unit) << 40U;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] = scale * noise(first + i);
    }
    const auto ones = [](std::span<float> norm) { std::ranges::fill(norm, 1.0F); };
    if (unit == shape.top()) {
        ones(weights.first(static_cast<std::size_t>(shape.hidden)));
    } else if (unit > 0) {
        const auto layer = layerWeights(shape, weights);
        ones(layer.norm);
        ones(layer.middleNorm);
    }
}

std::int32_t tokenAt(const DecoderShape& shape, int sample, int position) {
    const auto place = static_cast<std::uint64_t>(sample) * 1000003U +
                       static_cast<std::uint64_t>(position) + (std::uint64_t{1} << 60U);
    const float chance = noise(place) * 0.5F + 0.5F;
    const auto token = static_cast<std::int32_t>(chance * static_cast<float>(shape.vocab));
    return std::min(token, shape.vocab - 1);
}

}  // namespace fabricast::probe
