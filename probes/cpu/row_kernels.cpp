#include "probes/cpu/row_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fabricast::probe {

namespace {

constexpr float kEpsilon = 1e-5F;

float inverseRoot(const float* x, std::size_t width) {
    float squares = 0.0F;
    for (std::size_t i = 0; i < width; ++i) {
        squares += x[i] * x[i];
    }
    return 1.0F / std::sqrt(squares / static_cast<float>(width) + kEpsilon);
}

/// exp(x - most) in place; their sum.
float exponentials(float* x, std::size_t width) {
    float most = x[0];
    for (std::size_t i = 1; i < width; ++i) {
        most = std::max(most, x[i]);
    }
    float sum = 0.0F;
    for (std::size_t i = 0; i < width; ++i) {
        x[i] = std::exp(x[i] - most);
        sum += x[i];
    }
    return sum;
}

}  // namespace

void rmsNorm(std::span<const float> x, std::span<const float> weight, std::span<float> out) {
    const std::size_t width = weight.size();
    for (std::size_t row = 0; row < x.size(); row += width) {
        const float scale = inverseRoot(&x[row], width);
        for (std::size_t i = 0; i < width; ++i) {
            out[row + i] = x[row + i] * scale * weight[i];
        }
    }
}

void rmsNormBackward(std::span<const float> x,
                     std::span<const float> weight,
                     std::span<const float> dOut,
                     std::span<float> dx,
                     std::span<float> dWeight) {
    const std::size_t width = weight.size();
    std::ranges::fill(dWeight, 0.0F);
    for (std::size_t row = 0; row < x.size(); row += width) {
        const float scale = inverseRoot(&x[row], width);
        float along = 0.0F;
        for (std::size_t i = 0; i < width; ++i) {
            along += dOut[row + i] * weight[i] * x[row + i];
            dWeight[i] += dOut[row + i] * x[row + i] * scale;
        }
        along *= scale * scale * scale / static_cast<float>(width);
        for (std::size_t i = 0; i < width; ++i) {
            dx[row + i] += dOut[row + i] * weight[i] * scale - x[row + i] * along;
        }
    }
}

void swiglu(std::span<const float> gate, std::span<const float> up, std::span<float> out) {
    for (std::size_t i = 0; i < gate.size(); ++i) {
        out[i] = gate[i] / (1.0F + std::exp(-gate[i])) * up[i];
    }
}

void swigluBackward(std::span<const float> gate,
                    std::span<const float> up,
                    std::span<const float> dOut,
                    std::span<float> dGate,
                    std::span<float> dUp) {
    // Five buffers that do not overlap: said so that the compiler need not check.
    const float* const in = gate.data();
    const float* const wide = up.data();
    const float* const down = dOut.data();
    float* __restrict const toGate = dGate.data();
    float* __restrict const toUp = dUp.data();
    for (std::size_t i = 0; i < gate.size(); ++i) {
        const float share = 1.0F / (1.0F + std::exp(-in[i]));
        const float slope = share * (1.0F + in[i] * (1.0F - share));
        toGate[i] = down[i] * wide[i] * slope;
        toUp[i] = down[i] * in[i] * share;
    }
}

void rotate(std::span<float> x, int width, int headDim, int sequence, float direction) {
    const auto half = static_cast<std::size_t>(headDim / 2);
    const auto wide = static_cast<std::size_t>(width);
    const auto long_ = static_cast<std::size_t>(sequence);
    for (std::size_t i = 0; i < half; ++i) {
        const float speed =
            std::pow(1e4F, -static_cast<float>(i) / static_cast<float>(half)) * direction;
        for (std::size_t position = 0; position < long_; ++position) {
            const float cosine = std::cos(static_cast<float>(position) * speed);
            const float sine = std::sin(static_cast<float>(position) * speed);
            for (std::size_t row = position * wide; row < x.size(); row += long_ * wide) {
                for (std::size_t at = row + i; at < row + wide; at += 2 * half) {
                    const float first = x[at];
                    const float second = x[at + half];
                    x[at] = first * cosine - second * sine;
                    x[at + half] = first * sine + second * cosine;
                }
            }
        }
    }
}

void causalSoftmax(std::span<float> scores, int keys) {
    const auto width = static_cast<std::size_t>(keys);
    for (std::size_t row = 0; row * width < scores.size(); ++row) {
        float* const first = &scores[row * width];
        const float scale = 1.0F / exponentials(first, row + 1);
        for (std::size_t i = 0; i <= row; ++i) {
            first[i] *= scale;
        }
        std::fill(first + row + 1, first + width, 0.0F);
    }
}

void causalSoftmaxBackward(std::span<const float> probabilities,
                           std::span<float> gradient,
                           int keys) {
    const auto width = static_cast<std::size_t>(keys);
    for (std::size_t row = 0; row * width < gradient.size(); ++row) {
        const float* const p = &probabilities[row * width];
        float* const d = &gradient[row * width];
        float along = 0.0F;
        for (std::size_t i = 0; i <= row; ++i) {
            along += p[i] * d[i];
        }
        for (std::size_t i = 0; i < width; ++i) {
            d[i] = p[i] * (d[i] - along);
        }
    }
}

double crossEntropy(std::span<float> logits,
                    std::span<const std::int32_t> labels,
                    int vocabulary,
                    double allRows) {
    const auto width = static_cast<std::size_t>(vocabulary);
    const auto share = static_cast<float>(1.0 / allRows);
    double loss = 0.0;
    for (std::size_t row = 0; row < labels.size(); ++row) {
        float* const x = &logits[row * width];
        const auto label = static_cast<std::size_t>(labels[row]);
        const float sum = exponentials(x, width);
        loss -= std::log(static_cast<double>(x[label]) / static_cast<double>(sum));
        const float scale = share / sum;
        for (std::size_t i = 0; i < width; ++i) {
            x[i] *= scale;
        }
        x[label] -= share;
    }
    return loss / allRows;
}

void addInto(std::span<float> a, std::span<const float> b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] += b[i];
    }
}

}  // namespace fabricast::probe
