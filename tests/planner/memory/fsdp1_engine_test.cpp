#include "planner/memory/engines/torch/fsdp1_engine.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

/// A root of 64 elements around one layer of 96; 4 ranks, fp32 shards, bf16 compute, fp32 reduce.
class Fsdp1EngineTest : public testing::Test {
protected:
    static std::vector<Unit> units() {
        Unit root;
        root.weights.push_back({.name = "embedding", .elements = 64});
        Unit layer;
        layer.weights.push_back({.name = "a", .elements = 64});
        layer.weights.push_back({.name = "b", .elements = 32});
        return {root, layer};
    }
    static Fsdp1Options options() {
        Fsdp1Options options;
        options.shards = 4;
        options.rootUnit = 0;
        options.optimizer.kernel = OptimizerKernel::Foreach;
        return options;
    }
    void layerBackward(Fsdp1Engine& engine) {
        engine.beforeBackward(1);
        engine.takeGradient(1, 0, device_.take(2 * 64, MemoryKind::Backward));
        engine.takeGradient(1, 1, device_.take(2 * 32, MemoryKind::Backward));
        engine.afterBackward(1);
    }
    Device device_;
};

// 16 bytes for each of this rank's 160 / 4 elements: the flat gradients outlive zero_grad().
TEST_F(Fsdp1EngineTest, HoldsShardsAndTheFlatGradientsOfTheStepBefore) {
    Fsdp1Engine engine(device_, units(), options());
    engine.holdStates();
    EXPECT_EQ(device_.live(), 16 * 40);
    engine.beginForward();
    EXPECT_EQ(device_.live(), 12 * 40 + 2 * 64);
}

TEST_F(Fsdp1EngineTest, KeepsTheRootAndFreesLayersAfterForward) {
    Fsdp1Engine engine(device_, units(), options());
    engine.beginForward();
    engine.beforeForward(1);
    EXPECT_EQ(device_.live(), 2 * 160);
    engine.afterForward(1);
    engine.endForward();
    EXPECT_EQ(device_.live(), 2 * 64);
    engine.beforeBackward(0);  // and fetches the layer ahead
    EXPECT_EQ(device_.live(), 2 * 160);
}

// The flat bf16 gradient, its fp32 copy and the fp32 shard are alive together.
TEST_F(Fsdp1EngineTest, ReducesAFlatCopyOfTheGradients) {
    Fsdp1Engine engine(device_, units(), options());
    engine.beginMicroStep(0, 1);
    device_.resetPeak();
    layerBackward(engine);
    EXPECT_EQ(device_.peak(), (2 + 4) * 96 + 4 * 24);
    EXPECT_EQ(device_.live(), 4 * 24);
}

TEST_F(Fsdp1EngineTest, WithoutSyncTheWholeGradientWaits) {
    Fsdp1Options lazy = options();
    lazy.syncEachMicroStep = false;
    Fsdp1Engine engine(device_, units(), lazy);
    engine.beginMicroStep(0, 2);
    layerBackward(engine);
    EXPECT_EQ(device_.live(), 2 * 96);
    engine.beginMicroStep(1, 2);
    layerBackward(engine);
    EXPECT_EQ(device_.live(), 4 * 24);
}

// A frozen layer of 96 elements in bf16, and an adapter of 32 in fp32 inside it: 16 bytes for each
// of its 32 / 4, none but the base's own for the rest. It is gathered for its module alone.
TEST_F(Fsdp1EngineTest, GathersAdaptersForTheirOwnModules) {
    Unit layer;
    layer.weights.push_back({.name = "base", .elements = 96, .trained = false, .width = 2});
    layer.weights.push_back({.name = "lora_A", .elements = 32, .width = 4});
    Fsdp1Options wrapped = options();
    wrapped.wrapsTrained = true;
    wrapped.rootUnit = -1;
    Fsdp1Engine engine(device_, {layer}, wrapped);
    engine.holdStates();
    EXPECT_EQ(device_.live(), 2 * 24 + 16 * 8);
    engine.beginForward();
    const std::int64_t states = 2 * 24 + 12 * 8;
    const ModuleCall adapter{.module = 1, .unit = 0, .weights = {1}};
    engine.beforeForward(0);
    engine.enterModule(adapter, false);
    EXPECT_EQ(device_.live(), states + 2 * (96 + 32));
    engine.leaveModule(adapter, false);
    EXPECT_EQ(device_.live(), states + 2 * 96);
    engine.afterForward(0);
    engine.beginMicroStep(0, 1);
    engine.beforeBackward(0);  // and fetches the adapter ahead
    EXPECT_EQ(device_.live(), states + 2 * (96 + 32));
    engine.enterModule(adapter, true);
    engine.takeGradient(0, 1, device_.take(2 * 32, MemoryKind::Backward));
    engine.afterBackward(0);
    EXPECT_EQ(device_.live(), states + 4 * 8);
}

}  // namespace
}  // namespace fabricast
