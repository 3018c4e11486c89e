#include "probes/cuda/attention_tensors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fabricast::probe {
namespace {

constexpr std::size_t kDim = 3;
constexpr std::int64_t kKeys = 5;
constexpr std::int64_t kReach = 4;

std::vector<double> numbers(std::size_t count, double seed) {
    std::vector<double> made;
    for (std::size_t at = 0; at < count; ++at) {
        made.push_back(std::sin(seed + 1.7 * static_cast<double>(at)));
    }
    return made;
}

struct Example {
    std::vector<double> query = numbers(kDim, 0.1);
    std::vector<double> keys = numbers(kDim * kKeys, 0.7);
    std::vector<double> values = numbers(kDim * kKeys, 2.3);
    std::vector<double> gradient = numbers(kDim, 4.0);

    [[nodiscard]] AttentionRow row(bool backward) const {
        return {query, keys, values, kReach, backward ? &gradient : nullptr};
    }
    /// What the gradient is the gradient of.
    [[nodiscard]] double loss() const {
        const std::vector<double> output = attentionRow(row(false));
        double sum = 0.0;
        for (std::size_t at = 0; at < kDim; ++at) {
            sum += output[at] * gradient[at];
        }
        return sum;
    }
};

/// How the loss changes with one number of the example.
double slope(Example& example, double& number) {
    constexpr double kStep = 1e-5;
    const double kept = number;
    number = kept + kStep;
    const double above = example.loss();
    number = kept - kStep;
    const double below = example.loss();
    number = kept;
    return (above - below) / (2.0 * kStep);
}

TEST(AttentionReference, GradientsAreSlopesOfTheLoss) {
    Example example;
    const std::vector<double> toQuery = attentionRow(example.row(true));
    for (std::size_t at = 0; at < kDim; ++at) {
        EXPECT_NEAR(toQuery[at], slope(example, example.query[at]), 1e-8);
    }
    for (std::int64_t key = 0; key < kReach; ++key) {
        KeyGradients found;
        addKeyGradients(example.row(true), key, found);
        addKeyGradients(example.row(true), key, found);  // two equal queries
        for (std::size_t at = 0; at < kDim; ++at) {
            const std::size_t number = static_cast<std::size_t>(key) * kDim + at;
            EXPECT_NEAR(found.key[at], 2 * slope(example, example.keys[number]), 1e-8) << key;
            EXPECT_NEAR(found.value[at], 2 * slope(example, example.values[number]), 1e-8) << key;
        }
    }
}

}  // namespace
}  // namespace fabricast::probe
