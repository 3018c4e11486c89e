#pragma once
#if FABRICAST_HAS_CUDNN
#include "probes/cuda/attention_graph.h"

namespace fabricast::probe {

/// Builds a graph of attention. Tensors are samples, heads, rows, columns.
class AttentionNodes {
public:
    using Tensor = DnnGraph::Tensor;
    using Place = DeviceMemory AttentionTensors::*;

    explicit AttentionNodes(const AttentionShape& shape) : shape_(shape) {}

    /// One row per query; one per key; the same memory with one column per key.
    Tensor queryRows(Place place);
    Tensor keyRows(Place place);
    Tensor keyColumns(Place place);
    /// A number per query, the logarithm of its sum of powers.
    Tensor statistics();

    /// What only passes: a number per query and key, per query, or per number of the queries.
    Tensor square(cudnnDataType_t type = CUDNN_DATA_FLOAT);
    Tensor line();
    Tensor rows();
    /// The same two through memory, in fp32; the rows are added up there.
    Tensor lineBetween();
    Tensor rowsGathered();

    Tensor scaled(Tensor scores);
    /// Keys that come after their query are as far as a number goes, where the shape is causal.
    Tensor masked(Tensor scores);
    /// A square, number by number, from a square and maybe a second tensor.
    Tensor squareOf(cudnnPointwiseMode_t mode, std::vector<Tensor> inputs);

    DnnGraph& graph() { return made_.graph; }
    AttentionGraph take() { return std::move(made_); }

private:
    Tensor keep(Place place, Tensor tensor);
    Tensor keepBetween(Tensor tensor, const DnnSizes& sizes, bool gathered);

    AttentionShape shape_;
    AttentionGraph made_;
};

}  // namespace fabricast::probe
#endif
