#pragma once
#if FABRICAST_HAS_CUDNN
#include "probes/cuda/dnn_graph.h"
#include "probes/cuda/measure_attention.h"

namespace fabricast::probe {

/// The operations of attention forward, as cuDNN knows them for one kernel: scores, scale, mask,
/// softmax, values; and the logarithm of each row's sum, which backward needs.
struct AttentionGraph {
    explicit AttentionGraph(const AttentionShape& shape) : shape_(shape) { describe(); }

    DnnGraph graph;
    DnnGraph::Tensor queries = 0, keys = 0, values = 0, outputs = 0, statistics = 0;

private:
    void describe();
    DnnGraph::Tensor masked(DnnGraph::Tensor scores);
    DnnGraph::Tensor shares(DnnGraph::Tensor scores);

    AttentionShape shape_;
};

}  // namespace fabricast::probe
#endif
