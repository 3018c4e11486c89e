#include "planner/compute/kernel_times.h"
#include "tests/planner/compute/shipped_kernels.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

struct BytesCase {
    std::string name;
    OptimizerSettings optimizer;
    double bytes;
};

TEST(OptimizerBytes, CountWhatIsReadAndWritten) {
    using Kind = OptimizerKind;
    using Kernel = OptimizerKernel;
    const std::vector<BytesCase> cases = {
        // fp32: parameter and two moments both ways, and the gradient: 2 · 12 + 4
        {"fused AdamW", {.kind = Kind::AdamW, .kernel = Kernel::Fused}, 28},
        {"foreach AdamW", {.kind = Kind::AdamW, .kernel = Kernel::Foreach}, 70},
        {"for-loop AdamW", {.kind = Kind::AdamW, .kernel = Kernel::ForLoop}, 70},
        // a byte for each moment: 2 · 6 + 4
        {"8-bit AdamW", {.kind = Kind::AdamW8bit, .kernel = Kernel::Fused}, 16},
        {"compiled 8-bit AdamW", {.kind = Kind::AdamW8bit, .kernel = Kernel::Foreach}, 16},
        // 2 · 5 + 4, and 12 bytes a moment both ways between its two kernels
        {"4-bit AdamW", {.kind = Kind::AdamW4bit, .kernel = Kernel::Fused}, 14 + 48},
        // one moment: 2 · 8 + 4
        {"Lion", {.kind = Kind::Lion, .kernel = Kernel::Fused}, 20},
        {"Muon", {.kind = Kind::Muon, .kernel = Kernel::Fused}, 20},
        {"SGD", {.kind = Kind::Sgd, .kernel = Kernel::Fused}, 12},
    };
    for (const BytesCase& one : cases) {
        Settings settings;
        settings.precision = {.parameters = Dtype::Fp32,
                              .gradients = Dtype::Fp32,
                              .masterWeights = false,
                              .moments = Dtype::Fp32};
        settings.optimizer = one.optimizer;
        EXPECT_DOUBLE_EQ(optimizerBytes(settings), one.bytes) << one.name;
    }
}

// Megatron's mixed precision: master, two moments and the bf16 weight both ways, the fp32 gradient.
TEST(OptimizerBytes, IncludeTheMasterAndItsCopy) {
    Settings settings;
    settings.optimizer = {.kind = OptimizerKind::AdamW, .kernel = OptimizerKernel::Fused};
    settings.precision = {.parameters = Dtype::Bf16,
                          .gradients = Dtype::Fp32,
                          .masterWeights = true,
                          .moments = Dtype::Fp32};
    EXPECT_DOUBLE_EQ(optimizerBytes(settings), 2 * (8 + 4 + 2) + 4);
}

TEST(NewtonSchulzTime, GoesByTheNarrowSide) {
    const KernelProfile& kernels = shippedKernels("h100-sxm5-80gb");
    EXPECT_EQ(newtonSchulzTime(kernels, 4096, 16384, {}),
              newtonSchulzTime(kernels, 16384, 4096, {}));
    // 5 · (4·a²·b + 2·a³) = 6.2 TFLOP for 4096 x 16384, near 700 TFLOP/s
    EXPECT_NEAR(newtonSchulzTime(kernels, 4096, 16384, {}).count(), 6.2e12 / 660e12, 1e-3);
}

TEST(MemoryTime, SmallKernelsAreFarFromTheBandwidth) {
    const KernelProfile& kernels = shippedKernels("h100-sxm5-80gb");
    constexpr double kMiB = 1024.0 * 1024.0;
    constexpr double kGiB = 1024.0 * kMiB;
    const auto share = [&](double bytes) {
        return bytes / memoryTime(kernels, MemoryOp::Elementwise, bytes, {}).count() / 3.35e12;
    };
    EXPECT_LT(share(kMiB), 0.35);
    EXPECT_GT(share(kGiB), 0.9);
    const Seconds all = memoryTime(kernels, MemoryOp::Norm, kGiB, {});
    EXPECT_GT(memoryTime(kernels, MemoryOp::Norm, kGiB, {.bandwidth = 0.5}), all);
}

}  // namespace
}  // namespace fabricast
