#pragma once
#include "probes/cuda/attention_tensors.h"

#include <memory>

namespace fabricast::probe {

/// Attention written out: a product for the scores, a softmax, a product with the values; backward
/// with the saved shares. Heads that share keys are rows of one product.
class WrittenAttention {
public:
    /// Trouble where cuBLASLt has no kernel.
    static Answer<WrittenAttention> make(GpuBench& bench, const AttentionShape& shape);
    /// What it takes besides the tensors.
    static double bytesFor(const AttentionShape& shape);

    /// Forward fills the shares that backward reads.
    Done forward(cudaStream_t stream, const AttentionTensors& tensors) const;
    Done backward(cudaStream_t stream, const AttentionTensors& tensors) const;

private:
    struct Products;

    AttentionShape shape_;
    const LtHome* lt_ = nullptr;
    std::shared_ptr<Products> products_;
    DeviceMemory shares_;
    DeviceMemory scores_;
};

}  // namespace fabricast::probe
