#pragma once
#include "probes/cuda/pack.h"

#include <cmath>

namespace fabricast::probe {

/// Four bf16 numbers.
struct FourHalves {
    alignas(8) std::uint16_t v[4];
};

/// The arrays of one tensor. A step reads or writes 28 bytes of them for each parameter.
struct AdamTensor {
    FourFloats* weights;
    FourFloats* mean;
    FourFloats* square;
    const FourHalves* gradient;
    FourHalves* rounded;  ///< the weights in bf16
};

struct AdamNumbers {
    float rate = 1e-3F;
    float beta1 = 0.9F;
    float beta2 = 0.95F;
    float epsilon = 1e-8F;
    float decay = 0.1F;
};

FABRICAST_BOTH void adamStep(const AdamTensor& tensor, const AdamNumbers& numbers, long at) {
    FourFloats weight = tensor.weights[at];
    FourFloats mean = tensor.mean[at];
    FourFloats square = tensor.square[at];
    const FourHalves gradient = tensor.gradient[at];
    FourHalves rounded{};
    for (int i = 0; i < 4; ++i) {
        const float g = floatOf(static_cast<std::uint32_t>(gradient.v[i]) << 16U);
        mean.v[i] = numbers.beta1 * mean.v[i] + (1.0F - numbers.beta1) * g;
        square.v[i] = numbers.beta2 * square.v[i] + (1.0F - numbers.beta2) * g * g;
        weight.v[i] -= numbers.rate * (mean.v[i] / (sqrtf(square.v[i]) + numbers.epsilon) +
                                       numbers.decay * weight.v[i]);
        rounded.v[i] = static_cast<std::uint16_t>(bf16Bits(weight.v[i]));
    }
    tensor.weights[at] = weight;
    tensor.mean[at] = mean;
    tensor.square[at] = square;
    tensor.rounded[at] = rounded;
}

/// One long array, as optimizers over sharded buffers have it.
struct AdamFlat {
    AdamTensor tensor;
    AdamNumbers numbers;
    FABRICAST_BOTH void operator()(long at) const { adamStep(tensor, numbers, at); }
};

/// A list of tensors, cut into chunks of `fours` times four parameters.
struct AdamList {
    const AdamTensor* chunks;
    long fours;
    AdamNumbers numbers;
    FABRICAST_BOTH void operator()(long at) const {
        adamStep(chunks[at / fours], numbers, at % fours);
    }
};

}  // namespace fabricast::probe
