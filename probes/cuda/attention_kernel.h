#pragma once
#if FABRICAST_HAS_CUDNN
#include "probes/cuda/attention_graph.h"

namespace fabricast::probe {

/// A graph of attention, planned by cuDNN for this GPU.
class AttentionKernel {
public:
    /// Takes the first engine that this GPU runs. Trouble where there is none.
    static Answer<AttentionKernel> plan(cudnnHandle_t handle, AttentionGraph graph);

    Done run(cudnnHandle_t handle, cudaStream_t stream, const AttentionTensors& tensors) const;

private:
    AttentionGraph graph_;
    std::vector<DnnDescriptor> planned_;  ///< the engine, and the plan
    DeviceMemory workspace_;
    std::vector<DeviceMemory> between_;
};

/// What a call of cuDNN says.
Done dnnDone(cudnnStatus_t status);

}  // namespace fabricast::probe
#endif
