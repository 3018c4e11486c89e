#include "probes/host/array_kernels.h"

#include <cmath>

namespace fabricast::probe {

WorkerPart partOf(std::size_t all, int worker, int workers) {
    const auto at = [&](int number) {
        return all * static_cast<std::size_t>(number) / static_cast<std::size_t>(workers);
    };
    return {at(worker), at(worker + 1)};
}

void fillPart(float* values, std::size_t number, WorkerPart part) {
    for (std::size_t at = part.first; at < part.last; ++at) {
        values[at] = static_cast<float>((at + number) & 7U) * 0.125F;
    }
}

void copyPart(float* to, const float* from, WorkerPart part) {
    for (std::size_t at = part.first; at < part.last; ++at) {
        to[at] = from[at];
    }
}

void triadPart(float* to, const float* left, const float* right, WorkerPart part) {
    for (std::size_t at = part.first; at < part.last; ++at) {
        to[at] = left[at] + kTriadScale * right[at];
    }
}

std::size_t wrongIn(const float* to, const float* left, const float* right, std::size_t length) {
    std::size_t wrong = 0;
    for (std::size_t at = 0; at < length; ++at) {
        const float added = right == nullptr ? 0.0F : kTriadScale * right[at];
        wrong += to[at] == left[at] + added ? 0U : 1U;
    }
    return wrong;
}

void adamPart(const AdamArrays& arrays, WorkerPart part) {
    constexpr AdamRates<float> kRates;
    const float size = kRates.rate / (1.0F - kRates.first);
    const float root = 1.0F / std::sqrt(1.0F - kRates.second);
    const float kept = 1.0F - kRates.rate * kRates.decay;
    float* const parameter = arrays.parameter;
    const float* const gradient = arrays.gradient;
    float* const first = arrays.first;
    float* const second = arrays.second;
    for (std::size_t at = part.first; at < part.last; ++at) {
        const float g = gradient[at];
        const float m = kRates.first * first[at] + (1.0F - kRates.first) * g;
        const float v = kRates.second * second[at] + (1.0F - kRates.second) * g * g;
        first[at] = m;
        second[at] = v;
        parameter[at] = kept * parameter[at] - size * m / (std::sqrt(v) * root + kRates.epsilon);
    }
}

}  // namespace fabricast::probe
