#include "planner/estimate/fused_groups.h"

#include "planner/ops/op_builder.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

constexpr std::int64_t kRows = 1000;

/// silu(x) · x, then a sum with x: three operations on `kRows` two-byte elements.
OpList threePointwise() {
    OpBuilder g({.computeWidth = 2});
    const TensorId x = g.input(kRows, 2);
    return g.finish(g.add(g.multiply(g.silu(x), x), x));
}

TEST(FusedGroups, EagerCodeReadsAndWritesEveryStep) {
    const OpList list = threePointwise();
    const auto groups = fusedGroups(list, false);
    ASSERT_EQ(groups.size(), 3U);
    EXPECT_EQ(trafficOf(list, groups[0]).forward, 2 * 2 * kRows);  // reads x, writes silu(x)
    EXPECT_EQ(trafficOf(list, groups[1]).forward, 3 * 2 * kRows);
    EXPECT_EQ(trafficOf(list, groups[2]).forward, 3 * 2 * kRows);
    // silu: reads x and a gradient, writes one; the sum hands its gradient on.
    EXPECT_EQ(trafficOf(list, groups[0]).backward, 3 * 2 * kRows);
    EXPECT_EQ(trafficOf(list, groups[2]).backward, 0);
}

TEST(FusedGroups, ACompilerKeepsWhatNobodyElseReadsInRegisters) {
    const OpList list = threePointwise();
    const auto groups = fusedGroups(list, true);
    ASSERT_EQ(groups.size(), 1U);
    // Reads x; writes the result, and silu(x), which the product keeps for backward.
    EXPECT_EQ(trafficOf(list, groups[0]).forward, 3 * 2 * kRows);
    EXPECT_LT(trafficOf(list, groups[0]).forward, 8 * 2 * kRows);
}

// Autograd hands each input a gradient of its own type.
TEST(FusedGroups, ASumOfTwoTypesCastsTheGradientOfTheNarrowOne) {
    OpBuilder g({.computeWidth = 2});
    const TensorId x = g.input(kRows, 2);
    const OpList list = g.finish(g.add(x, g.cast(x, 4)));
    const auto groups = fusedGroups(list, false);
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(trafficOf(list, groups[1]).forward, (2 + 4 + 4) * kRows);
    EXPECT_EQ(trafficOf(list, groups[1]).backward, (4 + 2) * kRows);
}

// PyTorch's softmax multiplies its result and the gradient first, and reads the result once more.
TEST(FusedGroups, ASoftmaxReadsItsResultTwiceInBackward) {
    OpBuilder g({.computeWidth = 2});
    const TensorId x = g.input(kRows, 4);
    const TensorId out = g.pointwise("softmax", {x}, kRows, 4, {});
    g.last().saved = {out};
    g.last().backwardTemps = {4 * kRows};
    const OpList list = g.finish(out);
    EXPECT_EQ(trafficOf(list, fusedGroups(list, false).front()).backward, 6 * 4 * kRows);
}

TEST(FusedGroups, AGemmEndsAGroup) {
    OpBuilder g({.computeWidth = 2});
    const TensorId x = g.input(kRows * 8, 2);
    const TensorId y = g.linear(g.silu(x), g.matrix("w", 8, 8), kRows * 8);
    const OpList list = g.finish(g.silu(y));
    EXPECT_EQ(fusedGroups(list, true).size(), 3U);
}

}  // namespace
}  // namespace fabricast
