#include "planner/memory/engines/torch/local_engine.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

/// A quantised frozen matrix, a bf16 frozen vector, and a trained matrix of fp32.
std::vector<Unit> adapted() {
    Unit unit;
    unit.weights.push_back(
        {.name = "base", .elements = 4096, .trained = false, .packedBytes = 2500});
    unit.weights.push_back({.name = "norm", .elements = 64, .trained = false});
    unit.weights.push_back({.name = "lora_A", .elements = 512, .columns = 64, .width = 4});
    return {unit};
}

TEST(LocalEngine, HoldsEachWeightInItsOwnTypeAndStateForTheTrained) {
    Device device;
    const auto units = adapted();
    LocalEngine engine(device, units, {.width = 2, .groups = {parameterTensors(units, 2)}});
    engine.holdStates();
    EXPECT_EQ(device.live(), 2500 + 2 * 64 + 4 * 512 + (8 * 512 + 4));
}

TEST(LocalEngine, KeepsTheFirstGradientAndAddsTheOthersInPlace) {
    Device device;
    LocalEngine engine(device, adapted(), {.width = 2});
    for (int microStep = 0; microStep < 3; ++microStep) {
        engine.takeGradient(0, 2, device.take(2048, MemoryKind::Backward));
        EXPECT_EQ(device.live(), 2048);
    }
}

TEST(LocalEngine, PagesMomentsOfLargeTensorsToTheHost) {
    Device device;
    const std::vector<StepTensor> tensors = {{.elements = 1 << 20}, {.elements = 5000}};
    LocalEngine engine(device,
                       {},
                       {.optimizer = {.kind = OptimizerKind::PagedAdamW8bit,
                                      .kernel = OptimizerKernel::BitsAndBytes},
                        .groups = {tensors}});
    engine.holdStates();
    EXPECT_EQ(engine.host().bytes, 2 << 20);
    // Scales of both, the small one's moments, and two code tables.
    EXPECT_EQ(device.live(), 8 * 4096 + (2 * 5000 + 8 * 20) + 2048);
}

}  // namespace
}  // namespace fabricast
