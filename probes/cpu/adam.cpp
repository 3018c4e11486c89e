#include "probes/cpu/adam.h"

#include <algorithm>
#include <cmath>

namespace fabricast::probe {

double squares(std::span<const float> gradient) {
    // Short sums in fp32, joined in fp64.
    constexpr std::size_t kBlock = 4096;
    double all = 0.0;
    for (std::size_t at = 0; at < gradient.size(); at += kBlock) {
        float block = 0.0F;
        const std::size_t end = std::min(at + kBlock, gradient.size());
        for (std::size_t i = at; i < end; ++i) {
            block += gradient[i] * gradient[i];
        }
        all += static_cast<double>(block);
    }
    return all;
}

void adamStep(Adam& adam, std::span<float> weights, std::span<const float> gradient, double clip) {
    constexpr double kFirst = 0.9;
    constexpr double kSecond = 0.95;
    constexpr float kRate = 1e-3F;
    constexpr float kDecay = 0.1F;
    constexpr float kLeast = 1e-8F;
    ++adam.steps;
    const auto keepFirst = static_cast<float>(kFirst);
    const auto keepSecond = static_cast<float>(kSecond);
    const auto firstScale = static_cast<float>(1.0 / (1.0 - std::pow(kFirst, adam.steps)));
    const auto secondScale = static_cast<float>(1.0 / (1.0 - std::pow(kSecond, adam.steps)));
    const auto scale = static_cast<float>(clip);
    float* __restrict const first = adam.first.data();
    float* __restrict const second = adam.second.data();
    float* __restrict const weight = weights.data();
    const float* const slope = gradient.data();
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const float g = slope[i] * scale;
        first[i] = keepFirst * first[i] + (1.0F - keepFirst) * g;
        second[i] = keepSecond * second[i] + (1.0F - keepSecond) * g * g;
        const float step = first[i] * firstScale / (std::sqrt(second[i] * secondScale) + kLeast);
        weight[i] -= kRate * (step + kDecay * weight[i]);
    }
}

}  // namespace fabricast::probe
