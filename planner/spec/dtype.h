#pragma once
#include <cstdint>

namespace fabricast {

enum class Dtype { Fp32, Bf16, Fp16, Fp8, Fp4, Int8, Nf4 };

/// Bytes of one element; four-bit types are packed two to a byte and have their own functions.
constexpr std::int64_t bytesPerElement(Dtype type) {
    switch (type) {
        case Dtype::Fp32:
            return 4;
        case Dtype::Bf16:
        case Dtype::Fp16:
            return 2;
        case Dtype::Fp8:
        case Dtype::Int8:
        case Dtype::Fp4:
        case Dtype::Nf4:
            return 1;
    }
    return 0;
}

}  // namespace fabricast
