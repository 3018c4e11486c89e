#include "planner/memory/engines/torch/ddp_engine.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

/// Two weights of 100 and 50 elements; one backward pass delivers both gradients.
class DdpEngineTest : public testing::Test {
protected:
    static std::vector<Unit> units() {
        Unit unit;
        unit.weights.push_back({.name = "a", .elements = 100});
        unit.weights.push_back({.name = "b", .elements = 50});
        return {unit};
    }
    void backward(DdpEngine& engine) {
        for (int weight = 0; weight < 2; ++weight) {
            engine.takeGradient(
                0, weight, device_.take(weight == 0 ? 400 : 200, MemoryKind::Backward));
        }
    }
    Device device_;
};

TEST_F(DdpEngineTest, HoldsParametersBucketsAndState) {
    DdpEngine engine(device_,
                     units(),
                     {.optimizer = {.kernel = OptimizerKernel::Foreach},
                      .tensors = parameterTensors(units(), 4)});
    engine.holdStates();
    EXPECT_EQ(device_.live(), 4 * 150 + 4 * 150 + 8 * 150);
}

TEST_F(DdpEngineTest, KeepsGradientsBesideTheBucketsUnlessTheyAreViews) {
    DdpEngine plain(device_, units(), {});
    plain.beginMicroStep(0, 1);
    backward(plain);
    EXPECT_EQ(device_.live(), 600);
    backward(plain);  // added in place
    EXPECT_EQ(device_.live(), 600);

    Device other;
    std::swap(device_, other);
    DdpEngine views(device_, units(), {.gradientIsView = true});
    views.beginMicroStep(0, 1);
    backward(views);
    EXPECT_EQ(device_.live(), 0);
}

TEST_F(DdpEngineTest, WithoutSyncEvenViewsWaitOutsideTheBuckets) {
    DdpEngine engine(device_, units(), {.gradientIsView = true, .syncEachMicroStep = false});
    engine.beginMicroStep(0, 2);
    backward(engine);
    EXPECT_EQ(device_.live(), 600);
    engine.beginMicroStep(1, 2);
    backward(engine);
    EXPECT_EQ(device_.live(), 0);
}

}  // namespace
}  // namespace fabricast
