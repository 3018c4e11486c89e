#include "probes/cpu/decoder_layer.h"

#include "probes/cpu/layer_attention.h"
#include "probes/cpu/layer_weights.h"
#include "probes/cpu/linear.h"
#include "probes/cpu/row_kernels.h"

#include <algorithm>

namespace fabricast::probe {

namespace {

std::size_t scoresOf(const DecoderShape& shape) {
    const auto sequence = static_cast<std::size_t>(shape.sequence);
    return static_cast<std::size_t>(shape.batch * shape.heads()) * sequence * sequence;
}

void keep(std::vector<float>& kept, std::span<const float> x) {
    std::ranges::copy(x, kept.begin());
}

}  // namespace

LayerTape::LayerTape(const DecoderShape& shape) {
    const auto tokens = static_cast<std::size_t>(shape.tokens());
    for (auto* tensor : {&in, &normed, &query, &key, &value, &mixed, &middle, &middleNormed}) {
        tensor->resize(tokens * static_cast<std::size_t>(shape.hidden));
    }
    for (auto* tensor : {&gate, &up, &inner}) {
        tensor->resize(tokens * static_cast<std::size_t>(shape.ffn));
    }
    probabilities.resize(scoresOf(shape));
}

LayerScratch::LayerScratch(const DecoderShape& shape) {
    const auto tokens = static_cast<std::size_t>(shape.tokens());
    for (auto* tensor : {&a, &b, &query, &key, &value}) {
        tensor->resize(tokens * static_cast<std::size_t>(shape.hidden));
    }
    for (auto* tensor : {&gate, &up, &inner}) {
        tensor->resize(tokens * static_cast<std::size_t>(shape.ffn));
    }
    const auto sequence = static_cast<std::size_t>(shape.sequence);
    scores.resize(sequence * sequence);
}

void layerForward(const DecoderShape& shape,
                  std::span<const float> weights,
                  std::span<float> x,
                  LayerTape& tape) {
    const auto w = layerWeights(shape, weights);
    const int tokens = shape.tokens();
    const Linear square{tokens, shape.hidden, shape.hidden};
    const Linear wide{tokens, shape.hidden, shape.ffn};
    const Linear narrow{tokens, shape.ffn, shape.hidden};
    keep(tape.in, x);
    rmsNorm(x, w.norm, tape.normed);
    forward(square, tape.normed, w.query, tape.query);
    forward(square, tape.normed, w.key, tape.key);
    forward(square, tape.normed, w.value, tape.value);
    rotate(tape.query, shape.hidden, DecoderShape::kHeadDim, shape.sequence, 1.0F);
    rotate(tape.key, shape.hidden, DecoderShape::kHeadDim, shape.sequence, 1.0F);
    attentionForward(shape, {tape.query, tape.key, tape.value}, tape.probabilities, tape.mixed);
    forward(square, tape.mixed, w.output, tape.middle);
    addInto(tape.middle, x);
    rmsNorm(tape.middle, w.middleNorm, tape.middleNormed);
    forward(wide, tape.middleNormed, w.gate, tape.gate);
    forward(wide, tape.middleNormed, w.up, tape.up);
    swiglu(tape.gate, tape.up, tape.inner);
    forward(narrow, tape.inner, w.down, x);
    addInto(x, tape.middle);
}

void layerBackward(const DecoderShape& shape,
                   std::span<const float> weights,
                   const LayerTape& tape,
                   std::span<float> dx,
                   std::span<float> gradient,
                   LayerScratch& scratch) {
    const auto w = layerWeights(shape, weights);
    const auto g = layerWeights(shape, gradient);
    const int tokens = shape.tokens();
    const Linear square{tokens, shape.hidden, shape.hidden};
    const Linear wide{tokens, shape.hidden, shape.ffn};
    const Linear narrow{tokens, shape.ffn, shape.hidden};
    weightGradient(narrow, dx, tape.inner, g.down);
    inputGradient(narrow, dx, w.down, scratch.inner, false);
    swigluBackward(tape.gate, tape.up, scratch.inner, scratch.gate, scratch.up);
    weightGradient(wide, scratch.gate, tape.middleNormed, g.gate);
    weightGradient(wide, scratch.up, tape.middleNormed, g.up);
    inputGradient(wide, scratch.gate, w.gate, scratch.a, false);
    inputGradient(wide, scratch.up, w.up, scratch.a, true);
    // dx is that of `middle` from here on.
    rmsNormBackward(tape.middle, w.middleNorm, scratch.a, dx, g.middleNorm);
    weightGradient(square, dx, tape.mixed, g.output);
    inputGradient(square, dx, w.output, scratch.a, false);
    attentionBackward(shape,
                      {tape.query, tape.key, tape.value},
                      tape.probabilities,
                      scratch.a,
                      {scratch.query, scratch.key, scratch.value},
                      scratch.scores);
    rotate(scratch.query, shape.hidden, DecoderShape::kHeadDim, shape.sequence, -1.0F);
    rotate(scratch.key, shape.hidden, DecoderShape::kHeadDim, shape.sequence, -1.0F);
    weightGradient(square, scratch.query, tape.normed, g.query);
    weightGradient(square, scratch.key, tape.normed, g.key);
    weightGradient(square, scratch.value, tape.normed, g.value);
    inputGradient(square, scratch.query, w.query, scratch.b, false);
    inputGradient(square, scratch.key, w.key, scratch.b, true);
    inputGradient(square, scratch.value, w.value, scratch.b, true);
    rmsNormBackward(tape.in, w.norm, scratch.b, dx, g.norm);
}

}  // namespace fabricast::probe
