#include "probes/cpu/adam.h"
#include "probes/cpu/decoder_step.h"
#include "probes/cpu/products.h"
#include "probes/cpu/row_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

namespace fabricast::probe {
namespace {

/// All units in one place each.
class PlainUnits : public UnitStore {
public:
    explicit PlainUnits(const DecoderShape& shape) {
        for (int unit = 0; unit < shape.units(); ++unit) {
            weights_[unit].resize(shape.parameters(unit));
            gradients_[unit].resize(shape.parameters(unit));
            fillWeights(shape, unit, weights_[unit]);
        }
    }
    std::span<const float> weights(int unit, bool /*backward*/) override { return weights_[unit]; }
    void ran(int /*unit*/, bool /*backward*/) override {}
    std::span<float> gradient(int unit) override { return gradients_[unit]; }
    std::vector<float>& of(int unit) { return weights_[unit]; }

private:
    std::map<int, std::vector<float>> weights_;
    std::map<int, std::vector<float>> gradients_;
};

struct Text {
    std::vector<std::int32_t> tokens;
    std::vector<std::int32_t> labels;
};

Text textFor(const DecoderShape& shape) {
    Text text;
    for (int sample = 0; sample < shape.batch; ++sample) {
        for (int position = 0; position < shape.sequence; ++position) {
            text.tokens.push_back(tokenAt(shape, sample, position));
            text.labels.push_back(tokenAt(shape, sample, position + 1));
        }
    }
    return text;
}

const DecoderShape kSmall{
    .layers = 2, .hidden = 128, .ffn = 192, .vocab = 50, .sequence = 12, .batch = 2};

double lossOf(const DecoderShape& shape, PlainUnits& units) {
    const Text text = textFor(shape);
    DecoderStep step(shape);
    return step.run(text.tokens, text.labels, shape.tokens(), units);
}

/// Along its own gradient a unit's loss rises by the gradient's square: the difference quotient
/// must agree with backward.
TEST(DecoderStep, GradientsAreTheSlopesOfTheLoss) {
    for (int unit = 0; unit < kSmall.units(); ++unit) {
        PlainUnits units(kSmall);
        lossOf(kSmall, units);
        const std::span<const float> gradient = units.gradient(unit);
        const std::vector<float> direction(gradient.begin(), gradient.end());
        const double square = squares(direction);
        ASSERT_GT(square, 1e-8) << "unit " << unit;
        const double step = 2e-2 / std::sqrt(square);
        const auto lossAt = [&](double along) {
            PlainUnits moved(kSmall);
            for (std::size_t i = 0; i < direction.size(); ++i) {
                moved.of(unit)[i] += static_cast<float>(along) * direction[i];
            }
            return lossOf(kSmall, moved);
        };
        const double slope = (lossAt(step) - lossAt(-step)) / (2.0 * step);
        EXPECT_NEAR(slope / square, 1.0, 0.02) << "unit " << unit;
    }
}

TEST(DecoderStep, AnUntrainedModelGuesses) {
    PlainUnits units(kSmall);
    EXPECT_NEAR(lossOf(kSmall, units), std::log(kSmall.vocab), 0.5);
}

TEST(DecoderStep, AdamLearnsTheText) {
    PlainUnits units(kSmall);
    std::map<int, Adam> adams;
    for (int unit = 0; unit < kSmall.units(); ++unit) {
        adams.emplace(unit, Adam(kSmall.parameters(unit)));
    }
    const double first = lossOf(kSmall, units);
    for (int step = 0; step < 20; ++step) {
        lossOf(kSmall, units);
        for (auto& [unit, adam] : adams) {
            adamStep(adam, units.of(unit), units.gradient(unit), 1.0);
        }
    }
    EXPECT_LT(lossOf(kSmall, units), first - 1.0);
}

TEST(DecoderStep, CountsParametersAsLlamaDoes) {
    const DecoderShape shape{.layers = 4, .hidden = 512, .ffn = 1536, .vocab = 2048};
    EXPECT_EQ(shape.parameters(),
              4U * (4 * 512 * 512 + 3 * 512 * 1536 + 2 * 512) + 2U * 2048 * 512 + 512);
}

/// C = A·B where A is [[1, 2], [3, 4], [5, 6]] and B [[1, 0, 2], [0, 1, 3]], however they lie.
TEST(Multiply, KnowsTheThreeLayouts) {
    const std::vector<float> a = {1, 2, 3, 4, 5, 6};
    const std::vector<float> aTurned = {1, 3, 5, 2, 4, 6};
    const std::vector<float> b = {1, 0, 2, 0, 1, 3};
    const std::vector<float> bTurned = {1, 0, 0, 1, 2, 3};
    const std::vector<float> expected = {1, 2, 8, 3, 4, 18, 5, 6, 28};
    for (const BlasLayout layout : {BlasLayout::Tn, BlasLayout::Nn, BlasLayout::Nt}) {
        std::vector<float> c(9);
        multiply({.layout = layout, .m = 3, .n = 3, .k = 2},
                 (layout == BlasLayout::Nt ? aTurned : a).data(),
                 (layout == BlasLayout::Tn ? bTurned : b).data(),
                 c.data());
        EXPECT_EQ(c, expected);
    }
}

TEST(RowKernels, AMaskedSoftmaxSumsToOne) {
    std::vector<float> scores(25);
    std::iota(scores.begin(), scores.end(), -12.0F);
    causalSoftmax(scores, 5);
    for (std::size_t row = 0; row < 5; ++row) {
        float sum = 0.0F;
        for (std::size_t i = 0; i < 5; ++i) {
            sum += scores[row * 5 + i];
            EXPECT_EQ(scores[row * 5 + i] > 0.0F, i <= row);
        }
        EXPECT_NEAR(sum, 1.0F, 1e-5F);
    }
}

TEST(RowKernels, TurningThereAndBackChangesNothing) {
    std::vector<float> x(2 * 6 * 128);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i % 17) - 8.0F;
    }
    const std::vector<float> before = x;
    rotate(x, 128, 64, 6, 1.0F);
    EXPECT_NE(x, before);
    rotate(x, 128, 64, 6, -1.0F);
    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_NEAR(x[i], before[i], 1e-4F);
    }
}

}  // namespace
}  // namespace fabricast::probe
