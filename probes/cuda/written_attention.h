#pragma once
#include "probes/cuda/measure_attention.h"

#include <vector>

namespace fabricast::probe {

/// Attention written out: a product for the scores, a softmax, a product with the values; backward
/// with the saved shares. Heads that share keys are rows of one product.
class WrittenAttention {
public:
    /// Trouble where cuBLASLt has no kernel.
    static Answer<WrittenAttention> make(GpuBench& bench, const AttentionShape& shape);
    static double bytesFor(const AttentionShape& shape);

    /// Forward fills the shares that backward reads.
    Done forward(cudaStream_t stream) const;
    Done backward(cudaStream_t stream) const;

    /// How many of some results are not what the host makes of the same queries, keys and values.
    [[nodiscard]] Answer<double> wrongForward() const;
    /// The same of the gradient of the queries.
    [[nodiscard]] Answer<double> wrongBackward() const;

private:
    struct Products;
    struct HostHead;
    [[nodiscard]] Answer<HostHead> hostHead(std::int64_t row) const;
    [[nodiscard]] Answer<double> wrongRows(const DeviceMemory& results, bool backward) const;

    AttentionShape shape_;
    const LtHome* lt_ = nullptr;
    std::shared_ptr<Products> products_;
    DeviceMemory queries_, keys_, values_, outputs_, gradient_;
    DeviceMemory shares_, scores_, queriesGradient_, keysGradient_, valuesGradient_;
};

}  // namespace fabricast::probe
