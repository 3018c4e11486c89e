#if FABRICAST_HAS_CUDNN
#include "probes/cuda/attention_graph.h"

#include "probes/cuda/attention_nodes.h"

namespace fabricast::probe {

using Tensor = DnnGraph::Tensor;

namespace {

/// The softmax of each row; its logarithm's sum is kept for backward.
Tensor sharesOf(AttentionNodes& nodes, Tensor scores) {
    const Tensor largest = nodes.line();
    const Tensor sum = nodes.line();
    const Tensor logarithm = nodes.line();
    const Tensor shares = nodes.square(CUDNN_DATA_BFLOAT16);
    DnnGraph& graph = nodes.graph();
    graph.reduce(CUDNN_REDUCE_TENSOR_MAX, scores, largest);
    const Tensor below = nodes.squareOf(CUDNN_POINTWISE_SUB, {scores, largest});
    const Tensor powers = nodes.squareOf(CUDNN_POINTWISE_EXP, {below});
    graph.reduce(CUDNN_REDUCE_TENSOR_ADD, powers, sum);
    graph.pointwise({.mode = CUDNN_POINTWISE_LOG, .inputs = {sum}}, logarithm);
    graph.pointwise({.mode = CUDNN_POINTWISE_ADD, .inputs = {largest, logarithm}},
                    nodes.statistics());
    graph.pointwise({.mode = CUDNN_POINTWISE_DIV, .inputs = {powers, sum}}, shares);
    return shares;
}

}  // namespace

AttentionGraph forwardGraph(const AttentionShape& shape) {
    AttentionNodes nodes(shape);
    const Tensor queries = nodes.queryRows(&AttentionTensors::queries);
    const Tensor keys = nodes.keyColumns(&AttentionTensors::keys);
    const Tensor values = nodes.keyRows(&AttentionTensors::values);
    const Tensor outputs = nodes.queryRows(&AttentionTensors::outputs);
    const Tensor scores = nodes.square();
    nodes.graph().multiply(queries, keys, scores);
    const Tensor shares = sharesOf(nodes, nodes.masked(nodes.scaled(scores)));
    nodes.graph().multiply(shares, values, outputs);
    return nodes.take();
}

}  // namespace fabricast::probe
#endif
