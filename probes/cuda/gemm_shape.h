#pragma once
#include "probes/cuda/number_type.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace fabricast::probe {

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
    bool fastSums = false;    ///< fp8 adds up in fewer bits, as forward products of training do
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

}  // namespace fabricast::probe
