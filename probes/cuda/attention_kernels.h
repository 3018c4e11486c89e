#pragma once
#include "probes/cuda/attention_tensors.h"

#include <memory>
#include <string>

namespace fabricast::probe {

/// Attention as cuDNN fuses it: forward is one graph, which also keeps what backward needs of each
/// row; backward is another.
class FusedAttention {
public:
    /// Runs what the shape needs once on the stream. Trouble where cuDNN has no engine for a graph
    /// that this GPU runs, or is not there.
    static Answer<FusedAttention> plan(cudaStream_t stream, const AttentionTensors& tensors);

    /// Forward, which backward needs before it.
    Done forward(cudaStream_t stream, const AttentionTensors& tensors) const;
    Done backward(cudaStream_t stream, const AttentionTensors& tensors) const;

private:
    struct Parts;
    std::shared_ptr<Parts> parts_;
};

/// How many engines cuDNN has for the shape's pass on a device that is only described, by cuDNN's
/// own JSON.
Answer<std::size_t> fusedEnginesOn(const std::string& device, const AttentionShape& shape);

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
