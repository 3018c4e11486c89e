#include "planner/compute/optimizer_step_time.h"

#include "planner/compute/launch_floor.h"
#include "planner/compute/memory_time.h"
#include "planner/spec/names.h"
#include "tests/planner/compute/shipped_kernels.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

struct TrafficCase {
    std::string name;
    OptimizerStep step;
    double bytes;
};

TEST(OptimizerTraffic, CountsEveryPass) {
    const std::vector<TrafficCase> cases = {
        // p, m, v read and written, g read, 4 bytes each: 7 · 4
        {"fused AdamW in fp32", {}, 28},
        // the same of bf16 parameters and gradients: 2·2 + 2 + 4·4
        {"bf16 with fp32 moments", {.parameterBytes = 2, .gradientBytes = 2}, 22},
        // 20 passes
        {"foreach AdamW", {.kernel = OptimizerKernel::Foreach}, 80},
        {"for-loop AdamW", {.kernel = OptimizerKernel::ForLoop}, 80},
        // 24·P of master and moments, G, and 6·P for the bf16 copy
        {"Megatron's Adam", {.copyBytes = 2}, 34},
        // a byte and 4/256 of a scale, four times
        {"8-bit Adam", {.kind = OptimizerKind::AdamW8bit}, 12 + 4 * (1 + 4.0 / 256)},
        {"SGD", {.kind = OptimizerKind::Sgd}, 12},
        {"Lion", {.kind = OptimizerKind::Lion}, 20},
    };
    for (const TrafficCase& one : cases) {
        EXPECT_DOUBLE_EQ(optimizerTraffic(one.step), one.bytes) << one.name;
    }
}

TEST(OptimizerStepTime, IsItsTrafficAtTheBandwidthOfStreams) {
    const KernelProfile& kernels = shippedKernels("h100-sxm5-80gb");
    const MemoryFit& fit = kernels.fit(MemoryOp::Optimizer);
    const OptimizerStep step{.parameters = 1e9, .tensors = 60};
    // 28 GB at 3.35 TB/s · efficiency
    EXPECT_NEAR(optimizerStepTime(kernels, step, {}).count(),
                28e9 / (3.35e12 * fit.efficiency) + fit.launch.count(),
                1e-9);
    EXPECT_EQ(optimizerStepTime(kernels, {.parameters = 0}, {}).count(), 0);
}

TEST(OptimizerStepTime, ManySmallTensorsCostLaunches) {
    const KernelProfile& kernels = shippedKernels("h100-sxm5-80gb");
    OptimizerStep step{.kernel = OptimizerKernel::ForLoop, .parameters = 1e6, .tensors = 500};
    EXPECT_EQ(optimizerKernels(step), 4000);
    const Seconds looped = optimizerStepTime(kernels, step, {});
    step.kernel = OptimizerKernel::Foreach;
    EXPECT_EQ(optimizerKernels(step), 72);  // 9 chunks of 60, 8 kernels each
    EXPECT_LT(optimizerStepTime(kernels, step, {}), looped);
}

TEST(MegatronStepTime, ShardsOnlyWhatIsSharded) {
    const KernelProfile& kernels = shippedKernels("a100-sxm4-80gb");
    const double rate = 2.039e12 * kernels.fit(MemoryOp::Optimizer).efficiency;
    const MegatronStep step{.update = {.parameters = 1e9, .copyBytes = 2}, .shards = 1e6};
    // zero 4 GB and scale 8 GB stay; the rest is divided away
    EXPECT_NEAR(megatronStepTime(kernels, step, {}).count(), 12e9 / rate, 2e-5);
    const MegatronStep whole{.update = {.parameters = 1e9, .copyBytes = 2}, .checkGradients = true};
    // 4 + 4 + 8 + 4 + 8 + 34 bytes
    EXPECT_NEAR(megatronStepTime(kernels, whole, {}).count(), 62e9 / rate, 2e-5);
}

TEST(NewtonSchulzTime, GoesByTheNarrowSide) {
    const KernelProfile& kernels = shippedKernels("h100-sxm5-80gb");
    EXPECT_EQ(newtonSchulzTime(kernels, 4096, 16384, {}),
              newtonSchulzTime(kernels, 16384, 4096, {}));
    // 5 · (4·a²·b + 2·a³) = 6.2 TFLOP for 4096 x 16384, near 700 TFLOP/s
    EXPECT_NEAR(newtonSchulzTime(kernels, 4096, 16384, {}).count(), 6.2e12 / 660e12, 1e-3);
}

TEST(LaunchFloor, IsTheHostsTimePerKernel) {
    EXPECT_DOUBLE_EQ(launchFloor(1000, LaunchMode::Eager).count(), 6e-3);
    EXPECT_DOUBLE_EQ(launchFloor(1000, LaunchMode::Compiled).count(), 2.5e-3);
    EXPECT_LT(launchFloor(1000, LaunchMode::CudaGraph), launchFloor(1000, LaunchMode::Compiled));
    EXPECT_DOUBLE_EQ(launchFloor(10, LaunchMode::Eager, {.eager = Seconds(1e-5)}).count(), 1e-4);
}

TEST(MemoryBoundTime, SmallKernelsAreFarFromTheBandwidth) {
    using namespace literals;
    const KernelProfile& kernels = shippedKernels("h100-sxm5-80gb");
    const auto share = [&](Bytes bytes) {
        const Seconds time = memoryBoundTime(kernels, MemoryOp::Elementwise, bytes, {});
        return static_cast<double>(bytes.count()) / time.count() / 3.35e12;
    };
    EXPECT_LT(share(1_MiB), 0.35);
    EXPECT_GT(share(1_GiB), 0.9);
    const Seconds all = memoryBoundTime(kernels, MemoryOp::Norm, 1_GiB, {});
    EXPECT_GT(memoryBoundTime(kernels, MemoryOp::Norm, 1_GiB, {.bandwidth = 0.5}), all);
}

}  // namespace
}  // namespace fabricast
