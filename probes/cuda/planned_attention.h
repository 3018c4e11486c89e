#pragma once
#if FABRICAST_HAS_CUDNN
#include "probes/cuda/attention_graph.h"

namespace fabricast::probe {

/// A graph of attention, planned by cuDNN for this GPU.
class PlannedAttention {
public:
    /// Takes the first engine that this GPU has run once, on these tensors: some that become a plan
    /// fail when they run. Trouble where there is none.
    static Answer<PlannedAttention> plan(cudnnHandle_t handle,
                                         AttentionGraph graph,
                                         cudaStream_t stream,
                                         const AttentionTensors& tensors);

    Done run(cudnnHandle_t handle, cudaStream_t stream, const AttentionTensors& tensors) const;

private:
    Done use(cudnnHandle_t handle, const DnnDescriptor& engine);
    [[nodiscard]] Done clear(cudaStream_t stream) const;

    AttentionGraph graph_;
    std::vector<DnnDescriptor> planned_;  ///< the engine, and the plan
    DeviceMemory workspace_;
    std::vector<DeviceMemory> between_;
};

/// What a call of cuDNN says.
Done dnnDone(cudnnStatus_t status);

}  // namespace fabricast::probe
#endif
