#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fabricast::probe {

/// A decoder as Llama has it, in fp32: root mean square norms, rotary positions, causal attention
/// with as many key heads as query heads, a gated MLP, a head of its own.
struct DecoderShape {
    static constexpr int kHeadDim = 64;

    int layers = 1;
    int hidden = 64;
    int ffn = 64;
    int vocab = 64;
    int sequence = 64;
    int batch = 1;  ///< samples that one rank has

    [[nodiscard]] int heads() const { return hidden / kHeadDim; }
    [[nodiscard]] int tokens() const { return batch * sequence; }

    /// Units, in the order of the forward: the embedding, each layer, the last norm with the head.
    [[nodiscard]] int units() const { return layers + 2; }
    [[nodiscard]] int top() const { return layers + 1; }
    [[nodiscard]] std::size_t parameters(int unit) const {
        const auto h = static_cast<std::size_t>(hidden);
        if (unit == 0) {
            return h * static_cast<std::size_t>(vocab);
        }
        if (unit == top()) {
            return h + h * static_cast<std::size_t>(vocab);
        }
        return 2 * h + 4 * h * h + 3 * h * static_cast<std::size_t>(ffn);
    }
    [[nodiscard]] std::size_t parameters() const {
        std::size_t all = 0;
        for (int unit = 0; unit < units(); ++unit) {
            all += parameters(unit);
        }
        return all;
    }
};

/// What a layer keeps from its forward for its backward.
struct LayerTape {
    explicit LayerTape(const DecoderShape& shape);

    std::vector<float> in, normed, query, key, value, probabilities, mixed;
    std::vector<float> middle, middleNormed, gate, up, inner;
};

/// Buffers that all layers share.
struct LayerScratch {
    explicit LayerScratch(const DecoderShape& shape);

    std::vector<float> a, b, query, key, value, scores, gate, up, inner;
};

/// x becomes the layer's output.
void layerForward(const DecoderShape& shape,
                  std::span<const float> weights,
                  std::span<float> x,
                  LayerTape& tape);

/// dx becomes the gradient of the layer's input; `gradient` that of its weights.
void layerBackward(const DecoderShape& shape,
                   std::span<const float> weights,
                   const LayerTape& tape,
                   std::span<float> dx,
                   std::span<float> gradient,
                   LayerScratch& scratch);

}  // namespace fabricast::probe
