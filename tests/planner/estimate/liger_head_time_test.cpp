#include "planner/estimate/segment_time.h"
#include "planner/estimate/step_estimator.h"
#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

SegmentTime headWith(LossKernel loss, std::int64_t sequence = 8192, Tuning tuning = Tuning::Full) {
    Scenario run = exampleRun("fsdp2", {.dp = 8, .shard = Shard::Fsdp});
    run.workload.sequence = sequence;
    run.settings.kernels.loss = loss;
    run.settings.tuning = tuning;
    const auto estimator = StepEstimator::make(run.cluster, exampleTiming());
    return estimator->blocks(run, *layerOps(run))->head;
}

double productsOf(const SegmentTime& head) {
    return head.forward.device.gemm + head.input.device.gemm + head.weight.device.gemm;
}

double totalOf(const SegmentTime& head) {
    return head.forward.device.total() + head.input.device.total() + head.weight.device.total();
}

// The same products, all of them in forward, in 32 parts. The gradient of the weight is read and
// written 32 times: for 256 rows at a time that takes longer than their products.
TEST(LigerHeadTime, HasItsProductsInForward) {
    const SegmentTime fused = headWith(LossKernel::Liger);
    EXPECT_EQ(fused.input.device.gemm + fused.weight.device.gemm, 0.0);
    const SegmentTime plain = headWith(LossKernel::HuggingFace);
    EXPECT_NEAR(productsOf(fused) / productsOf(plain), 1.45, 0.1);
    EXPECT_EQ(fused.trained, plain.trained);
}

// Of 2,048 rows at a time products are what they were, and fp32 logits are not moved.
TEST(LigerHeadTime, IsShorterOfLongSequences) {
    const SegmentTime fused = headWith(LossKernel::Liger, 65536);
    const SegmentTime plain = headWith(LossKernel::HuggingFace, 65536);
    EXPECT_NEAR(productsOf(fused) / productsOf(plain), 1.0, 0.15);
    EXPECT_LT(totalOf(fused), totalOf(plain));
}

TEST(LigerHeadTime, LeavesOutTheProductOfAFrozenWeight) {
    const SegmentTime all = headWith(LossKernel::Liger);
    const SegmentTime frozen = headWith(LossKernel::Liger, 8192, Tuning::Lora);
    // Two of three, and the third also reads the sum that it adds to.
    EXPECT_NEAR(frozen.forward.device.gemm / all.forward.device.gemm, 0.58, 0.05);
    EXPECT_EQ(frozen.trained, 0.0);
}

}  // namespace
}  // namespace fabricast
