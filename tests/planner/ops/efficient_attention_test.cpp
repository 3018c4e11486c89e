#include "planner/ops/attention_kernels.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

/// Workspaces that PyTorch 2.9's kernels ask for.
TEST(EfficientAttention, WorkspaceIsTheKernels) {
    EXPECT_EQ(
        efficientWorkspace({.sequence = 1024, .heads = 16, .keyDim = 192, .valueDim = 128}, true),
        31463424);
    EXPECT_EQ(
        efficientWorkspace({.sequence = 1024, .heads = 8, .keyDim = 192, .valueDim = 128}, true),
        18877440);
}

/// More heads than blocks: every head gets one split.
TEST(EfficientAttention, ManyHeadsShareNoKeys) {
    const EfficientShape few{.sequence = 256, .heads = 200, .keyDim = 192, .valueDim = 128};
    EfficientShape many = few;
    many.batch = 4;
    EXPECT_EQ(efficientWorkspace(many, true), 4 * efficientWorkspace(few, true));
}

/// A head that fits one tile writes its result without an fp32 copy.
TEST(EfficientAttention, WideHeadsAccumulateInFp32) {
    const auto temps = [](std::int64_t keyDim) {
        OpBuilder g({});
        const EfficientShape shape{.sequence = 64, .heads = 2, .keyDim = keyDim, .valueDim = 64};
        const TensorId q = g.input(128 * keyDim, 2);
        efficientAttention(g, q, q, q, shape);
        return g.last().forwardTemps;
    };
    EXPECT_TRUE(temps(96).empty());
    EXPECT_EQ(temps(192), ByteList{4 * 64 * 2 * 64});
}

}  // namespace
}  // namespace fabricast
