#include "probes/cpu/layer_attention.h"

#include "probes/cpu/products.h"
#include "probes/cpu/row_kernels.h"

#include <cmath>

namespace fabricast::probe {

namespace {

/// Where one head of one sample begins, in tensors and among the squares of scores.
struct HeadPlace {
    std::size_t tensor = 0;
    std::size_t square = 0;
};

template <class Each>
void forEachHead(const DecoderShape& shape, const Each& each) {
    const auto sequence = static_cast<std::size_t>(shape.sequence);
    const auto hidden = static_cast<std::size_t>(shape.hidden);
    const auto heads = static_cast<std::size_t>(shape.heads());
    for (std::size_t sample = 0; sample < static_cast<std::size_t>(shape.batch); ++sample) {
        for (std::size_t head = 0; head < heads; ++head) {
            each(HeadPlace{sample * sequence * hidden + head * DecoderShape::kHeadDim,
                           (sample * heads + head) * sequence * sequence});
        }
    }
}

float scaleOf() {
    return 1.0F / std::sqrt(static_cast<float>(DecoderShape::kHeadDim));
}

/// Queries against keys of one head: both lie in rows of the hidden size.
BlasProduct against(const DecoderShape& shape) {
    return {.layout = BlasLayout::Tn,
            .m = shape.sequence,
            .n = shape.sequence,
            .k = DecoderShape::kHeadDim,
            .aRow = shape.hidden,
            .bRow = shape.hidden};
}

/// Scores, or their transpose, times one head's rows.
BlasProduct weighing(const DecoderShape& shape, BlasLayout layout, float scale) {
    return {.layout = layout,
            .m = shape.sequence,
            .n = DecoderShape::kHeadDim,
            .k = shape.sequence,
            .scale = scale,
            .bRow = shape.hidden,
            .cRow = shape.hidden};
}

}  // namespace

void attentionForward(const DecoderShape& shape,
                      const QueryKeyValue<const float>& in,
                      std::span<float> probabilities,
                      std::span<float> out) {
    const std::size_t square =
        static_cast<std::size_t>(shape.sequence) * static_cast<std::size_t>(shape.sequence);
    forEachHead(shape, [&](const HeadPlace& at) {
        BlasProduct product = against(shape);
        product.scale = scaleOf();
        const std::span<float> head = probabilities.subspan(at.square, square);
        multiply(product, &in.query[at.tensor], &in.key[at.tensor], head.data());
        causalSoftmax(head, shape.sequence);
        multiply(weighing(shape, BlasLayout::Nn, 1.0F),
                 head.data(),
                 &in.value[at.tensor],
                 &out[at.tensor]);
    });
}

void attentionBackward(const DecoderShape& shape,
                       const QueryKeyValue<const float>& in,
                       std::span<const float> probabilities,
                       std::span<const float> dOut,
                       const QueryKeyValue<float>& gradient,
                       std::span<float> scores) {
    forEachHead(shape, [&](const HeadPlace& at) {
        const std::span<const float> head = probabilities.subspan(at.square, scores.size());
        multiply(weighing(shape, BlasLayout::Nt, 1.0F),
                 head.data(),
                 &dOut[at.tensor],
                 &gradient.value[at.tensor]);
        multiply(against(shape), &dOut[at.tensor], &in.value[at.tensor], scores.data());
        causalSoftmaxBackward(head, scores, shape.sequence);
        multiply(weighing(shape, BlasLayout::Nn, scaleOf()),
                 scores.data(),
                 &in.key[at.tensor],
                 &gradient.query[at.tensor]);
        multiply(weighing(shape, BlasLayout::Nt, scaleOf()),
                 scores.data(),
                 &in.query[at.tensor],
                 &gradient.key[at.tensor]);
    });
}

}  // namespace fabricast::probe
