#pragma once
#include "probes/cuda/attention_tensors.h"

#include <memory>
#include <string>

namespace fabricast::probe {

/// Attention forward as one kernel of cuDNN: its graph of products, mask and softmax, which also
/// keeps what backward would need of each row.
class FusedAttention {
public:
    /// Takes the first engine that this GPU runs. Trouble where there is none, or no cuDNN.
    static Answer<FusedAttention> plan(const AttentionShape& shape);

    Done run(cudaStream_t stream, const AttentionTensors& tensors) const;

private:
    struct Parts;
    std::shared_ptr<Parts> parts_;
};

/// How many engines cuDNN has for it on a device that is only described, by cuDNN's own JSON.
Answer<std::size_t> fusedEnginesOn(const std::string& device, const AttentionShape& shape);

}  // namespace fabricast::probe
