#if FABRICAST_HAS_CUDNN
#include "probes/cuda/attention_graph.h"

#include <cmath>
#include <limits>

namespace fabricast::probe {

void AttentionGraph::describe() {
    const auto& [batch, heads, groups, length, dim, causal, backward] = shape_;
    const DnnSizes rows = {heads * length * dim, length * dim, dim, 1};
    const DnnSizes keyRows = {groups * length * dim, length * dim, dim, 1};
    const DnnSizes keyColumns = {groups * length * dim, length * dim, 1, dim};
    queries = graph.real(CUDNN_DATA_BFLOAT16, {batch, heads, length, dim}, rows);
    keys = graph.real(CUDNN_DATA_BFLOAT16, {batch, groups, dim, length}, keyColumns);
    values = graph.real(CUDNN_DATA_BFLOAT16, {batch, groups, length, dim}, keyRows);
    outputs = graph.real(CUDNN_DATA_BFLOAT16, {batch, heads, length, dim}, rows);
    statistics =
        graph.real(CUDNN_DATA_FLOAT, {batch, heads, length, 1}, {heads * length, length, 1, 1});
    const DnnSizes square = {batch, heads, length, length};
    const DnnGraph::Tensor scores = graph.passing(CUDNN_DATA_FLOAT, square);
    const DnnGraph::Tensor scaled = graph.passing(CUDNN_DATA_FLOAT, square);
    const DnnGraph::Tensor scale = graph.number(1.0F / std::sqrt(static_cast<float>(dim)));
    graph.multiply(queries, keys, scores);
    graph.pointwise({.mode = CUDNN_POINTWISE_MUL, .inputs = {scores, scale}}, scaled);
    graph.multiply(shares(causal ? masked(scaled) : scaled), values, outputs);
}

/// Keys that come after their query are as far as a number goes.
DnnGraph::Tensor AttentionGraph::masked(DnnGraph::Tensor scores) {
    const DnnSizes square = {shape_.batch, shape_.heads, shape_.sequence, shape_.sequence};
    const DnnGraph::Tensor row = graph.passing(CUDNN_DATA_INT32, square);
    const DnnGraph::Tensor column = graph.passing(CUDNN_DATA_INT32, square);
    const DnnGraph::Tensor seen = graph.passing(CUDNN_DATA_BOOLEAN, square);
    const DnnGraph::Tensor result = graph.passing(CUDNN_DATA_FLOAT, square);
    const DnnGraph::Tensor far = graph.number(std::numeric_limits<float>::lowest());
    const auto index = [&](std::int64_t axis, DnnGraph::Tensor to) {
        graph.pointwise({.mode = CUDNN_POINTWISE_GEN_INDEX,
                         .precision = CUDNN_DATA_INT32,
                         .inputs = {scores},
                         .axis = axis},
                        to);
    };
    index(2, row);
    index(3, column);
    graph.pointwise(
        {.mode = CUDNN_POINTWISE_CMP_GE, .precision = CUDNN_DATA_BOOLEAN, .inputs = {row, column}},
        seen);
    graph.pointwise({.mode = CUDNN_POINTWISE_BINARY_SELECT, .inputs = {scores, far, seen}}, result);
    return result;
}

/// The softmax of each row, and its logarithm's sum for backward.
DnnGraph::Tensor AttentionGraph::shares(DnnGraph::Tensor scores) {
    const DnnSizes square = {shape_.batch, shape_.heads, shape_.sequence, shape_.sequence};
    const DnnSizes one = {shape_.batch, shape_.heads, shape_.sequence, 1};
    const DnnGraph::Tensor largest = graph.passing(CUDNN_DATA_FLOAT, one);
    const DnnGraph::Tensor below = graph.passing(CUDNN_DATA_FLOAT, square);
    const DnnGraph::Tensor powers = graph.passing(CUDNN_DATA_FLOAT, square);
    const DnnGraph::Tensor sum = graph.passing(CUDNN_DATA_FLOAT, one);
    const DnnGraph::Tensor logarithm = graph.passing(CUDNN_DATA_FLOAT, one);
    const DnnGraph::Tensor result = graph.passing(CUDNN_DATA_BFLOAT16, square);
    graph.reduce(CUDNN_REDUCE_TENSOR_MAX, scores, largest);
    graph.pointwise({.mode = CUDNN_POINTWISE_SUB, .inputs = {scores, largest}}, below);
    graph.pointwise({.mode = CUDNN_POINTWISE_EXP, .inputs = {below}}, powers);
    graph.reduce(CUDNN_REDUCE_TENSOR_ADD, powers, sum);
    graph.pointwise({.mode = CUDNN_POINTWISE_LOG, .inputs = {sum}}, logarithm);
    graph.pointwise({.mode = CUDNN_POINTWISE_ADD, .inputs = {largest, logarithm}}, statistics);
    graph.pointwise({.mode = CUDNN_POINTWISE_DIV, .inputs = {powers, sum}}, result);
    return result;
}

}  // namespace fabricast::probe
#endif
