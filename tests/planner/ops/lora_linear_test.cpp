#include "planner/ops/lora_linear.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

constexpr std::int64_t kTokens = 100;
constexpr std::int64_t kIn = 64;
constexpr std::int64_t kOut = 32;
constexpr std::int64_t kRank = 8;
constexpr LinearSite kSite{"q_proj", "q", kIn, kOut};
/// Autocast's bf16 copies of both adapters.
constexpr std::int64_t kCopies = 2 * kRank * (kIn + kOut);

/// One adapted linear layer of bf16 activations that ask for their gradient.
OpList adapted(const LoraSettings& lora, bool autocast) {
    Settings settings{.tuning = Tuning::Lora, .lora = lora};
    settings.precision.autocast = autocast;
    OpBuilder g({.computeWidth = 2,
                 .storedWidth = bytesPerElement(frozenType(lora)),
                 .autocast = autocast,
                 .frozen = true});
    const TensorId x = g.input(kTokens * kIn, 2);
    return g.finish(siteLinear(g, settings, kSite, x));
}

struct SavedCase {
    std::string name;
    LoraSettings lora;
    bool autocast = false;
    std::int64_t perToken = 0;  ///< beside the input
    std::int64_t once = 0;
};

class LoraSavedBytes : public testing::TestWithParam<SavedCase> {};

TEST_P(LoraSavedBytes, AreWhatTheAdaptersRead) {
    const SavedCase& now = GetParam();
    EXPECT_EQ(savedBytes(adapted(now.lora, now.autocast), false),
              kTokens * now.perToken + now.once);
}

INSTANTIATE_TEST_SUITE_P(
    ,
    LoraSavedBytes,
    testing::Values(
        // An fp32 copy of x, and lora_A's product.
        SavedCase{"fp32_adapters", {.rank = kRank}, false, 4 * kIn + 4 * kRank},
        // Cast to fp32 by peft, and back to bf16 by autocast.
        SavedCase{"autocast", {.rank = kRank}, true, 2 * kIn + 2 * kRank, kCopies},
        SavedCase{"bf16_adapters", {.rank = kRank, .dtype = Dtype::Bf16}, false, 2 * kRank},
        SavedCase{"dropout",
                  {.rank = kRank, .dropout = 0.1, .dtype = Dtype::Bf16},
                  false,
                  2 * kIn + kIn + 2 * kRank},
        SavedCase{"four_bits_under_autocast",
                  {.rank = kRank, .base = Dtype::Nf4},
                  true,
                  2 * kRank,
                  kCopies},
        SavedCase{"left_out", {.rank = kRank, .targets = {"v"}}, false, 0},
        // DoRA keeps the base's product, its own, and per row norm, scale and scale less one.
        SavedCase{"dora",
                  {.rank = kRank, .dora = true},
                  false,
                  4 * kIn + 4 * kRank + 2 * kOut + 4 * kOut,
                  3 * 4 * kOut}),
    [](const auto& row) { return row.param.name; });

TEST(LoraLinear, TrainsOnlyTheAdapters) {
    const OpList list = adapted({.rank = kRank, .dora = true}, false);
    std::int64_t trained = 0;
    for (const WeightUse& use : list.weights) {
        trained += use.trained ? use.storedBytes(2) : 0;
    }
    EXPECT_EQ(trained, 4 * (kRank * (kIn + kOut) + kOut));
}

TEST(LoraLinear, EightBitProductsHoldTheirInputUntilTheGraphIsFreed) {
    const OpList list = adapted({.rank = kRank, .base = Dtype::Int8}, false);
    std::size_t held = 0;
    for (const Op& op : list.ops) {
        held += op.heldByGraph.size();
    }
    EXPECT_EQ(held, 1U);
}

TEST(LoraLinear, PreparedModelsKeepWhatIsNotQuantisedInFp32) {
    EXPECT_EQ(frozenType({.base = Dtype::Nf4}), Dtype::Bf16);
    EXPECT_EQ(frozenType({.base = Dtype::Nf4, .preparedForKbit = true}), Dtype::Fp32);
    EXPECT_EQ(frozenType({.base = Dtype::Fp32}), Dtype::Fp32);
}

}  // namespace
}  // namespace fabricast
