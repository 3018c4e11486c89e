#include "planner/memory/walk_stage.h"
#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

Scenario offloadedOptimizer(double fraction) {
    Scenario run = exampleRun(
        "megatron", {.dp = 4, .tp = 2, .shard = Shard::Zero1, .offload = Offload::OptimizerCpu});
    run.settings.megatron.offloadFraction = fraction;
    return run;
}

std::int64_t optimizerOf(const StageMemory& memory) {
    return memory.atPeak.of(MemoryKind::Optimizer).count();
}

// HybridDeviceOptimizer (Megatron-Core 0.16.1) takes whole tensors to the host until the fraction
// is reached: there each has an fp32 copy, a gradient and two moments, on the device a copy and the
// moments.
TEST(OptimizerFraction, DividesStatesBetweenDeviceAndHost) {
    Scenario plain = offloadedOptimizer(0.0);
    plain.layout.offload = Offload::None;
    const StageMemory none = walkStage(plain, {}).value();
    const StageMemory all = walkStage(offloadedOptimizer(1.0), {}).value();
    const StageMemory zero = walkStage(offloadedOptimizer(0.0), {}).value();
    EXPECT_EQ(all.host.count() % 16, 0);
    EXPECT_EQ(optimizerOf(all), 0);
    EXPECT_EQ(optimizerOf(zero), optimizerOf(none));
    EXPECT_EQ(zero.host.count(), 0);
    std::int64_t before = 0;
    for (const double fraction : {0.1, 0.5, 0.9}) {
        const StageMemory part = walkStage(offloadedOptimizer(fraction), {}).value();
        const auto moved = static_cast<double>(part.host.count());
        EXPECT_GE(moved, fraction * static_cast<double>(all.host.count()));
        EXPECT_GT(part.host.count(), before);
        // 16 bytes of a parameter there, or 12 here.
        EXPECT_EQ(part.host.count() / 16 + optimizerOf(part) / 12, all.host.count() / 16);
        before = part.host.count();
    }
}

// A narrow gradient is copied to fp32 for the kernels on the device, and stays.
TEST(OptimizerFraction, KeepsCopiesOfNarrowGradients) {
    Scenario run = offloadedOptimizer(0.0);
    run.settings.precision.gradients = Dtype::Bf16;
    run.settings.precision.reduce = Dtype::Bf16;
    const StageMemory copied = walkStage(run, {}).value();
    EXPECT_EQ(optimizerOf(copied) / 16,
              optimizerOf(walkStage(offloadedOptimizer(0.0), {}).value()) / 12);
}

}  // namespace
}  // namespace fabricast
