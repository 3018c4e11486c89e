#include "probes/cuda/gemm_shape.h"

namespace fabricast::probe {

NumberType GemmShape::resultType() const {
    if (accumulate) {
        return NumberType::Fp32;
    }
    return type == NumberType::Fp8 ? NumberType::Bf16 : type;
}

double GemmShape::flop() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) *
           static_cast<double>(batch);
}

double GemmShape::bytes() const {
    return static_cast<double>(inputBytes() + weightBytes() +
                               resultBytes() * (accumulate ? 2U : 1U));
}

std::size_t GemmShape::inputBytes() const {
    return static_cast<std::size_t>(m * k * batch) * bytesOf(type);
}

std::size_t GemmShape::weightBytes() const {
    return static_cast<std::size_t>(n * k * batch) * bytesOf(type);
}

std::size_t GemmShape::resultBytes() const {
    return static_cast<std::size_t>(m * n * batch) * bytesOf(resultType());
}

}  // namespace fabricast::probe
