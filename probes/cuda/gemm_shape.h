#pragma once
#include "probes/record/answer.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace fabricast::probe {

/// What a matrix is made of. Tf32 is kept as fp32, and rounded by the multiplier.
enum class NumberType { Bf16, Fp16, Tf32, Fp32, Fp8 };

Answer<NumberType> numberTypeOf(const std::string& name);
std::size_t bytesOf(NumberType type);

/// How far a number of this type may be from the one that it stands for, as a share of it.
double roundingOf(NumberType type);

/// One number from and to the type's bits; fp8 is e4m3. What is too large becomes the largest.
void writeNumber(float value, NumberType type, void* to);
double readNumber(NumberType type, const void* from);

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
