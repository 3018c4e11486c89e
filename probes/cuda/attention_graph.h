#pragma once
#if FABRICAST_HAS_CUDNN
#include "probes/cuda/attention_tensors.h"
#include "probes/cuda/dnn_graph.h"

#include <utility>
#include <vector>

namespace fabricast::probe {

/// The operations of attention, as cuDNN knows them for one kernel.
struct AttentionGraph {
    DnnGraph graph;
    /// What comes in and goes out, and which of attention's tensors it is.
    std::vector<std::pair<DnnGraph::Tensor, DeviceMemory AttentionTensors::*>> places;
    /// What the kernel's parts hand to each other through memory.
    struct Between {
        DnnGraph::Tensor tensor;
        std::size_t bytes;
        bool gathered;  ///< they add to it: zero before each run
    };
    std::vector<Between> between;
};

/// Scores, scale, mask, softmax, values; and the logarithm of each row's sum, which backward needs.
AttentionGraph forwardGraph(const AttentionShape& shape);
/// The shares again, from scores and each row's logarithm, and from these the three gradients.
AttentionGraph backwardGraph(const AttentionShape& shape);

}  // namespace fabricast::probe
#endif
