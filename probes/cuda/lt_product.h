#pragma once
#include "probes/cuda/gpu.h"
#include "probes/cuda/gpu_memory.h"
#include "probes/cuda/number_type.h"

#include <cublasLt.h>

#include <cstdint>
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

/// D[m,n] = A[m,k] · B[k,n] (+ D), rows of D one after another. Layouts are named as BLAS does,
/// with the weight first: "tn" is a layer's forward (weights [n,k], inputs [m,k]), "nn" the
/// gradient of its inputs, "nt" the gradient of its weights.
struct GemmShape {
    NumberType type = NumberType::Bf16;
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    std::string layout = "tn";
    bool accumulate = false;  ///< D += A·B in fp32, as weight gradients do
    std::int64_t batch = 1;

    [[nodiscard]] bool weightTransposed() const { return layout[0] == 't'; }
    [[nodiscard]] bool inputTransposed() const { return layout[1] == 't'; }
    [[nodiscard]] NumberType resultType() const;
    [[nodiscard]] double flop() const;
    /// Bytes of the operands and the result, each once (the result twice where it is added to).
    [[nodiscard]] double bytes() const;
    [[nodiscard]] std::size_t inputBytes() const;
    [[nodiscard]] std::size_t weightBytes() const;
    [[nodiscard]] std::size_t resultBytes() const;
};

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

    /// "cublaslt 66 tile 20 stages 35 split 1".
    [[nodiscard]] std::string algorithm() const;

private:
    struct Descriptors;
    std::shared_ptr<Descriptors> descriptors_;
    bool accumulate_ = false;
};

}  // namespace fabricast::probe
