#pragma once
#include "probes/cuda/planned_gemm.h"

#include <memory>
#include <vector>

namespace fabricast::probe {

/// The products of all experts in one call of cuBLAS (cublasGemmGroupedBatchedEx, CUDA 12.5), each
/// a group of its own, as where a router deals the tokens.
class GroupedProduct {
public:
    /// Trouble where the library is not here, or is too old for it.
    static Answer<GroupedProduct> make(const PlannedGemm& planned, std::size_t experts);

    /// What cuBLAS says where it refuses the type.
    Done run(cudaStream_t stream, std::size_t call) const;

private:
    struct Parts;
    std::shared_ptr<Parts> parts_;
};

}  // namespace fabricast::probe
