#pragma once
#include "probes/cpu/decoder_shape.h"

#include <span>
#include <vector>

namespace fabricast::probe {

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
