#if FABRICAST_HAS_CUDNN
#include "probes/cuda/attention_nodes.h"

#include <cmath>
#include <limits>

namespace fabricast::probe {

using Tensor = AttentionNodes::Tensor;

Tensor AttentionNodes::keep(Place place, Tensor tensor) {
    made_.places.emplace_back(tensor, place);
    return tensor;
}

Tensor AttentionNodes::keepBetween(Tensor tensor, const DnnSizes& sizes, bool gathered) {
    const std::int64_t numbers = sizes[0] * sizes[1] * sizes[2] * sizes[3];
    made_.between.push_back({tensor, static_cast<std::size_t>(numbers) * sizeof(float), gathered});
    return tensor;
}

Tensor AttentionNodes::queryRows(Place place) {
    const DnnSizes sizes = {shape_.batch, shape_.heads, shape_.sequence, shape_.dim};
    return keep(place, graph().real(CUDNN_DATA_BFLOAT16, sizes, packedSteps(sizes)));
}

Tensor AttentionNodes::keyRows(Place place) {
    const DnnSizes sizes = {shape_.batch, shape_.groups, shape_.sequence, shape_.dim};
    return keep(place, graph().real(CUDNN_DATA_BFLOAT16, sizes, packedSteps(sizes)));
}

Tensor AttentionNodes::keyColumns(Place place) {
    const auto& [batch, heads, groups, length, dim, causal, backward] = shape_;
    return keep(place,
                graph().real(CUDNN_DATA_BFLOAT16,
                             {batch, groups, dim, length},
                             {groups * length * dim, length * dim, 1, dim}));
}

Tensor AttentionNodes::statistics() {
    const DnnSizes sizes = {shape_.batch, shape_.heads, shape_.sequence, 1};
    return keep(&AttentionTensors::statistics,
                graph().real(CUDNN_DATA_FLOAT, sizes, packedSteps(sizes)));
}

Tensor AttentionNodes::square(cudnnDataType_t type) {
    return graph().passing(type, {shape_.batch, shape_.heads, shape_.sequence, shape_.sequence});
}

Tensor AttentionNodes::line() {
    return graph().passing(CUDNN_DATA_FLOAT, {shape_.batch, shape_.heads, shape_.sequence, 1});
}

Tensor AttentionNodes::rows() {
    return graph().passing(CUDNN_DATA_FLOAT,
                           {shape_.batch, shape_.heads, shape_.sequence, shape_.dim});
}

Tensor AttentionNodes::lineBetween() {
    const DnnSizes sizes = {shape_.batch, shape_.heads, shape_.sequence, 1};
    return keepBetween(
        graph().real(CUDNN_DATA_FLOAT, sizes, packedSteps(sizes)), sizes, /*gathered=*/false);
}

Tensor AttentionNodes::rowsGathered() {
    const DnnSizes sizes = {shape_.batch, shape_.heads, shape_.sequence, shape_.dim};
    return keepBetween(graph().gathered(sizes), sizes, /*gathered=*/true);
}

Tensor AttentionNodes::squareOf(cudnnPointwiseMode_t mode, std::vector<Tensor> inputs) {
    const Tensor result = square();
    graph().pointwise({.mode = mode, .inputs = std::move(inputs)}, result);
    return result;
}

Tensor AttentionNodes::scaled(Tensor scores) {
    const Tensor scale = graph().number(1.0F / std::sqrt(static_cast<float>(shape_.dim)));
    return squareOf(CUDNN_POINTWISE_MUL, {scores, scale});
}

Tensor AttentionNodes::masked(Tensor scores) {
    if (!shape_.causal) {
        return scores;
    }
    const Tensor row = square(CUDNN_DATA_INT32);
    const Tensor column = square(CUDNN_DATA_INT32);
    const Tensor seen = square(CUDNN_DATA_BOOLEAN);
    const Tensor far = graph().number(std::numeric_limits<float>::lowest());
    const auto index = [&](std::int64_t axis, Tensor to) {
        graph().pointwise({.mode = CUDNN_POINTWISE_GEN_INDEX,
                           .precision = CUDNN_DATA_INT32,
                           .inputs = {scores},
                           .axis = axis},
                          to);
    };
    index(2, row);
    index(3, column);
    graph().pointwise(
        {.mode = CUDNN_POINTWISE_CMP_GE, .precision = CUDNN_DATA_BOOLEAN, .inputs = {row, column}},
        seen);
    return squareOf(CUDNN_POINTWISE_BINARY_SELECT, {scores, far, seen});
}

}  // namespace fabricast::probe
#endif
