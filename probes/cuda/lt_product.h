#pragma once
#include "probes/cuda/gemm_shape.h"
#include "probes/cuda/gpu.h"
#include "probes/cuda/gpu_memory.h"

#include <cublasLt.h>

#include <memory>
#include <string>

namespace fabricast::probe {

/// cuBLASLt, and the scratch memory that it may use: as much as training frameworks give it.
struct LtHome {
    std::shared_ptr<cublasLtContext> handle;
    DeviceMemory workspace;
    DeviceMemory one;  ///< a float 1.0 on the GPU: the scales of fp8 operands
};
Answer<LtHome> openLt();
/// The same library, for another stream beside it.
Answer<LtHome> withOwnScratch(const LtHome& home);

/// The type of the numbers, and that of their sums.
cudaDataType_t cudaTypeOf(NumberType type);
cublasComputeType_t computeTypeOf(NumberType type);

/// A product that cuBLASLt has chosen a kernel for: the first that it proposes, which is what
/// frameworks run.
class LtProduct {
public:
    /// Trouble where the library knows no kernel.
    static Answer<LtProduct> plan(const LtHome& home, const GemmShape& shape);

    /// A is the input, B the weight, both as `shape.layout` says.
    Done run(const LtHome& home,
             cudaStream_t stream,
             const void* input,
             const void* weight,
             void* result) const;

    /// Parts along k that are computed apart and then added.
    [[nodiscard]] int splits() const;
    /// "cublaslt 66 tile 20 stages 35 split 1 scheme 0 cluster 2 inner 0".
    [[nodiscard]] std::string algorithm() const;

private:
    struct Descriptors;
    std::shared_ptr<Descriptors> descriptors_;
    bool accumulate_ = false;
};

}  // namespace fabricast::probe
