#if FABRICAST_HAS_CUDNN
#include "probes/cuda/attention_graph.h"
#include "probes/cuda/attention_nodes.h"

namespace fabricast::probe {

using Tensor = DnnGraph::Tensor;

namespace {

/// Of each query, its output times the output's gradient. cuDNN's kernel for it is another than the
/// one that reads it, and wants a factor even where it is one.
Tensor outputTimesGradient(AttentionNodes& nodes, Tensor gradient) {
    const Tensor outputs = nodes.queryRows(&AttentionTensors::outputs);
    const Tensor products = nodes.rows();
    const Tensor sums = nodes.line();
    const Tensor result = nodes.lineBetween();
    DnnGraph& graph = nodes.graph();
    graph.pointwise({.mode = CUDNN_POINTWISE_MUL, .inputs = {gradient, outputs}}, products);
    graph.reduce(CUDNN_REDUCE_TENSOR_ADD, products, sums);
    graph.pointwise({.mode = CUDNN_POINTWISE_MUL, .inputs = {sums, graph.number(1.0F)}}, result);
    return result;
}

/// A square with queries and keys changed, times rows of the queries: a gradient of the keys or
/// values. Where heads share those, it is summed over them.
void multiplyTurned(AttentionNodes& nodes,
                    const AttentionShape& shape,
                    Tensor square,
                    Tensor rows,
                    AttentionNodes::Place place) {
    const auto& [batch, heads, groups, length, dim, causal, backward] = shape;
    DnnGraph& graph = nodes.graph();
    const Tensor turned = graph.passing(CUDNN_DATA_BFLOAT16,
                                        {batch, heads, length, length},
                                        {heads * length * length, length * length, 1, length});
    const Tensor result = nodes.keyRows(place);
    graph.reshape(square, turned);
    if (groups == heads) {
        graph.multiply(turned, rows, result);
        return;
    }
    const DnnSizes sizes = {batch, heads, length, dim};
    const Tensor ofEachHead = graph.passing(CUDNN_DATA_BFLOAT16, sizes, packedSteps(sizes));
    graph.multiply(turned, rows, ofEachHead);
    graph.reduce(CUDNN_REDUCE_TENSOR_ADD, ofEachHead, result);
}

/// The gradient of the queries: several blocks of keys add to it, so it is gathered in fp32.
void multiplyByKeys(AttentionNodes& nodes,
                    const AttentionShape& shape,
                    Tensor square,
                    Tensor keyColumns) {
    DnnGraph& graph = nodes.graph();
    const DnnSizes sizes = {shape.batch, shape.groups, shape.sequence, shape.dim};
    const Tensor keys = graph.passing(CUDNN_DATA_BFLOAT16, sizes, packedSteps(sizes));
    const Tensor gathered = nodes.rowsGathered();
    graph.reshape(keyColumns, keys);
    graph.multiply(square, keys, gathered);
    graph.pointwise({.mode = CUDNN_POINTWISE_IDENTITY, .inputs = {gathered}},
                    nodes.queryRows(&AttentionTensors::queriesGradient));
}

}  // namespace

AttentionGraph backwardGraph(const AttentionShape& shape) {
    AttentionNodes nodes(shape);
    const Tensor queries = nodes.queryRows(&AttentionTensors::queries);
    const Tensor keys = nodes.keyColumns(&AttentionTensors::keys);
    const Tensor values = nodes.keyColumns(&AttentionTensors::values);
    const Tensor gradient = nodes.queryRows(&AttentionTensors::gradient);
    const Tensor means = outputTimesGradient(nodes, gradient);

    const Tensor scores = nodes.square();
    nodes.graph().multiply(queries, keys, scores);
    const Tensor below =
        nodes.squareOf(CUDNN_POINTWISE_SUB, {nodes.scaled(scores), nodes.statistics()});
    const Tensor shares = nodes.squareOf(CUDNN_POINTWISE_EXP, {nodes.masked(below)});
    multiplyTurned(nodes, shape, shares, gradient, &AttentionTensors::valuesGradient);

    const Tensor toShares = nodes.square();
    nodes.graph().multiply(gradient, values, toShares);
    const Tensor overMean = nodes.squareOf(CUDNN_POINTWISE_SUB, {toShares, means});
    const Tensor toScores = nodes.scaled(nodes.squareOf(CUDNN_POINTWISE_MUL, {overMean, shares}));
    multiplyTurned(nodes, shape, toScores, queries, &AttentionTensors::keysGradient);
    multiplyByKeys(nodes, shape, toScores, keys);
    return nodes.take();
}

}  // namespace fabricast::probe
#endif
