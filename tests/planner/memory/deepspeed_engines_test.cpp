#include "planner/memory/engines/deepspeed/bf16_optimizer_engine.h"
#include "planner/memory/engines/deepspeed/deepspeed_engine.h"
#include "planner/memory/engines/deepspeed/zero_partition_engine.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

constexpr OptimizerSettings kFusedAdam{.kernel = OptimizerKernel::DeepSpeed};

/// Two weights of 100 and 60 elements in one unit, bf16.
std::vector<Unit> units() {
    Unit unit;
    unit.weights.push_back({.name = "a", .elements = 100});
    unit.weights.push_back({.name = "b", .elements = 60});
    return {unit};
}

std::vector<ZeroParameter> parameters() {
    return {{.unit = 0, .weight = 0, .elements = 100}, {.unit = 0, .weight = 1, .elements = 60}};
}

void backward(ParallelEngine& engine, Device& device) {
    engine.takeGradient(0, 1, device.take(2 * 60, MemoryKind::Backward));
    engine.takeGradient(0, 0, device.take(2 * 100, MemoryKind::Backward));
    engine.endBackward();
}

// 14 bytes a parameter between steps; gradients 2, then their fp32 casts and the flat copy 4 + 4.
TEST(DeepSpeedEngine, FusedAdamStepsOnAFlatFp32Copy) {
    Device device;
    DeepSpeedEngine engine(device, units(), {.optimizer = kFusedAdam});
    engine.holdStates();
    EXPECT_EQ(device.live(), 14 * 160);
    engine.beginMicroStep(0, 1);
    backward(engine, device);
    EXPECT_EQ(device.live(), 16 * 160);
    device.resetPeak();
    engine.optimizerStep();
    EXPECT_EQ(device.peak(), 24 * 160);
    EXPECT_EQ(device.live(), 14 * 160);
}

ZeroPartitionOptions zeroOptions(bool second, std::int64_t rank) {
    ZeroPartitionOptions options;
    options.partitionGradients = second;
    options.bucketElements = 120;
    options.cut = {.ranks = 4, .rank = rank};
    options.optimizer = kFusedAdam;
    return options;
}

// A partition has 40 elements: 2 bytes a parameter, 12 a partition element.
TEST(ZeroPartitionEngine, HoldsWholeParametersAndItsShareOfTheRest) {
    Device device;
    ZeroPartitionEngine engine(device, parameters(), zeroOptions(true, 0));
    engine.holdStates();
    EXPECT_EQ(device.live(), 2 * 160 + 12 * 40);
}

// Rank 0 owns part of weight a: ZeRO-2 keeps all 100 of its gradients and none of b's, and the
// bucket goes when backward ends.
TEST(ZeroPartitionEngine, KeepsWholeGradientsThatTouchThePartition) {
    Device device;
    ZeroPartitionEngine engine(device, parameters(), zeroOptions(true, 0));
    engine.beginMicroStep(0, 1);
    backward(engine, device);
    EXPECT_EQ(device.live(), 2 * 100);
    // The norm of its 40 elements in double precision.
    device.resetPeak();
    engine.optimizerStep();
    EXPECT_EQ(device.peak(), 2 * 100 + 8 * 40);
    EXPECT_EQ(device.live(), 0);
}

// ZeRO-1 sums all gradients and reduces them after the last backward only.
TEST(ZeroPartitionEngine, FirstStageKeepsAllGradientsBetweenMicroSteps) {
    Device device;
    ZeroPartitionEngine engine(device, parameters(), zeroOptions(false, 3));
    engine.beginMicroStep(0, 2);
    backward(engine, device);
    EXPECT_EQ(device.live(), 2 * 160 + 2 * 120);  // and the bucket
    engine.beginMicroStep(1, 2);
    backward(engine, device);
    EXPECT_EQ(device.live(), 2 * 60);
}

// 4 + 4 + 8 + 2 bytes a partition element and a staging buffer for the largest parameter; blocks of
// 160, 160, 80 and 200 bytes are pinned as 256, 256, 128 and 256.
TEST(ZeroPartitionEngine, OffloadMovesTheOptimizerToTheHost) {
    Device device;
    ZeroPartitionOptions options = zeroOptions(true, 0);
    options.offloadOptimizer = true;
    options.pinMemory = true;
    ZeroPartitionEngine engine(device, parameters(), options);
    engine.holdStates();
    EXPECT_EQ(device.live(), 2 * 160 + 2 * 100);
    EXPECT_EQ(engine.host().bytes, 18 * 40 + 2 * 100);
    EXPECT_EQ(engine.host().pinned, 256 + 256 + 128 + 256);
}

// bf16 parameters and gradients whole, fp32 sums whole, 12 bytes an element of the partition.
TEST(Bf16OptimizerEngine, SumsWholeGradientsInFp32) {
    Device device;
    Bf16OptimizerEngine engine(device, units(), {.ranks = 4, .optimizer = kFusedAdam});
    engine.holdStates();
    EXPECT_EQ(device.live(), 6 * 160 + 12 * 40);
    engine.beginMicroStep(0, 1);
    backward(engine, device);
    EXPECT_EQ(device.peak(), 6 * 160 + 12 * 40 + 2 * 160 + 4 * 100);  // and the largest cast
}

}  // namespace
}  // namespace fabricast
