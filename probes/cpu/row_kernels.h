#pragma once
#include <cstdint>
#include <span>

namespace fabricast::probe {

/// The parts of a transformer's layer that are no products, in fp32 on one thread. Tensors are
/// rows x width, row by row. A backward takes the gradient of the output.
void rmsNorm(std::span<const float> x, std::span<const float> weight, std::span<float> out);
/// Adds to `dx`; overwrites `dWeight`.
void rmsNormBackward(std::span<const float> x,
                     std::span<const float> weight,
                     std::span<const float> dOut,
                     std::span<float> dx,
                     std::span<float> dWeight);

/// out = gate · sigmoid(gate) · up
void swiglu(std::span<const float> gate, std::span<const float> up, std::span<float> out);
void swigluBackward(std::span<const float> gate,
                    std::span<const float> up,
                    std::span<const float> dOut,
                    std::span<float> dGate,
                    std::span<float> dUp);

/// Turns pairs (i, i + dim/2) of each head by the position of their row, in place; `direction` -1
/// turns back, which is the backward. Rows are positions 0 … sequence-1, sample after sample.
void rotate(std::span<float> x, int width, int headDim, int sequence, float direction);

/// Row r of a square keeps its first r+1 entries, as a softmax; the others become 0.
void causalSoftmax(std::span<float> scores, int keys);
/// dScores of dProbabilities, in place.
void causalSoftmaxBackward(std::span<const float> probabilities,
                           std::span<float> gradient,
                           int keys);

/// The mean of -log softmax(logits)[label] over all rows of the step, of which these are some;
/// logits become their gradient. Answers this part's sum over `allRows`.
double crossEntropy(std::span<float> logits,
                    std::span<const std::int32_t> labels,
                    int vocabulary,
                    double allRows);

/// a += b
void addInto(std::span<float> a, std::span<const float> b);

}  // namespace fabricast::probe
