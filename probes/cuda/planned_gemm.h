#pragma once
#include "probes/cuda/measure_gemm.h"

#include <memory>
#include <optional>
#include <vector>

namespace fabricast::probe {

/// A product that is ready to run, with its operands; or why this GPU cannot.
struct PlannedGemm {
    GemmShape shape;
    const LtHome* lt = nullptr;
    std::optional<LtProduct> product;
    std::optional<GemmOperands> operands;
    std::string refusal;

    Done run(cudaStream_t stream, std::size_t call) const { return runWith(*lt, stream, call); }
    /// With the scratch memory of this home.
    Done runWith(const LtHome& home, cudaStream_t stream, std::size_t call) const {
        return product->run(
            home, stream, operands->input(call), operands->weight(call), operands->result(call));
    }
};

/// Trouble where the GPU failed; a refusal where it cannot.
Answer<PlannedGemm> planGemm(GpuBench& bench, const GemmShape& shape, std::int64_t leastSets = 1);

/// Runs the product once into an empty result, and counts the wrong ones of some of its entries.
Answer<double> wrongOnce(const GpuTimer& timer, const PlannedGemm& planned);

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
