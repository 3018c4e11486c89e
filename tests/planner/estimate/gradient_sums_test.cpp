#include "planner/estimate/data_parallel_time.h"
#include "planner/ops/op_builder.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

constexpr std::int64_t kSummed = 1000;
constexpr std::int64_t kSummedBytes = 2 * kSummed;

/// Three operations read x: silu, the product and the sum.
OpList readThrice(bool frozen) {
    OpBuilder g({.computeWidth = 2, .frozenInput = frozen});
    const TensorId x = g.input(kSummed, 2);
    return g.finish(g.add(g.multiply(g.silu(x), x), x));
}

TEST(GradientSums, OneAdditionForEachReaderButTheFirst) {
    const GradientSums sums = gradientSums(readThrice(false), false);
    EXPECT_EQ(sums.count, 2);
    EXPECT_EQ(sums.bytes, 2 * 3 * kSummedBytes);  // both terms read, the sum written
}

TEST(GradientSums, ACompilerAddsWhereTheSumIsRead) {
    const GradientSums sums = gradientSums(readThrice(false), true);
    EXPECT_EQ(sums.count, 0);
    EXPECT_EQ(sums.bytes, 2 * kSummedBytes);
}

TEST(GradientSums, NoneWithoutGradients) {
    const GradientSums sums = gradientSums(readThrice(true), false);
    EXPECT_EQ(sums.count, 0);
    EXPECT_EQ(sums.bytes, 0);
}

TEST(GradientSums, NoneInAChain) {
    OpBuilder g({.computeWidth = 2});
    const OpList list = g.finish(g.silu(g.silu(g.input(kSummed, 2))));
    EXPECT_EQ(gradientSums(list, false).bytes, 0);
}

}  // namespace
}  // namespace fabricast
