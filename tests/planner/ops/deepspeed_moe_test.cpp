#include "planner/ops/expert_layers.h"
#include "planner/ops/layer_segment.h"
#include "tests/support/scenarios.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace fabricast {
namespace {

namespace deepspeed_moe_test {

/// 4,096 tokens of a GPU, two of eight experts each, four experts on a GPU.
Scenario sparse() {
    Scenario scenario = smallTitan(Bytes(80'000'000'000));
    scenario.model.family = "mixtral";
    scenario.model.moe = MoeSpec{.experts = 8, .topK = 2, .expertWidth = 512};
    scenario.model.sparse.assign(8, true);
    scenario.layout = {.dp = 8, .ep = 2, .shard = Shard::Zero2, .microBatch = 2};
    scenario.settings = {.engine = Engine::DeepSpeed};
    scenario.settings.kernels.code = ModelCode::HuggingFace;
    scenario.settings.precision.parameters = Dtype::Bf16;
    scenario.settings.precision.gradients = Dtype::Bf16;
    scenario.settings.kernels.experts = ExpertKernel::DeepSpeed;
    scenario.settings.kernels.capacityFactor = 1.25;
    return scenario;
}

std::string refusal(const std::function<void(Scenario&)>& change) {
    Scenario scenario = sparse();
    change(scenario);
    const auto layer = layerSegment(scenario, 0);
    return layer ? "" : layer.error().text();
}

std::int64_t expertElements(const Scenario& scenario) {
    const auto layer = layerSegment(scenario, 0);
    EXPECT_TRUE(layer) << (layer ? "" : layer.error().text());
    std::int64_t elements = 0;
    for (const WeightUse& use : layer ? layer->weights : std::vector<WeightUse>{}) {
        elements += use.expert ? use.elements : 0;
    }
    return elements;
}

}  // namespace deepspeed_moe_test

using deepspeed_moe_test::expertElements;
using deepspeed_moe_test::refusal;
using deepspeed_moe_test::sparse;

TEST(DeepSpeedMoe, HasACapacityOfEachExpert) {
    Scenario scenario = sparse();
    EXPECT_EQ(deepspeedCapacity(scenario), 1280);
    scenario.settings.deepspeed.minCapacity = 2000;
    EXPECT_EQ(deepspeedCapacity(scenario), 2000);
    scenario.settings.kernels.capacityFactor = 0;  // nothing is dropped
    EXPECT_EQ(deepspeedCapacity(scenario), 1024);
    scenario.settings.kernels.imbalance = 1.5;
    EXPECT_EQ(deepspeedCapacity(scenario), 1536);
    scenario.settings.kernels.imbalance = 64;
    EXPECT_EQ(deepspeedCapacity(scenario), 4096);
}

TEST(DeepSpeedMoe, HoldsItsShareOfTheExperts) {
    Scenario scenario = sparse();
    const std::int64_t expert = std::int64_t{3} * 1024 * 512;
    EXPECT_EQ(expertElements(scenario), 4 * expert);
    scenario.layout.ep = 8;
    EXPECT_EQ(expertElements(scenario), expert);
    scenario.layout.ep = 1;
    EXPECT_EQ(expertElements(scenario), 8 * expert);
}

TEST(DeepSpeedMoe, AddsAResidualExpert) {
    Scenario scenario = sparse();
    const auto plain = layerSegment(scenario, 0);
    scenario.model.moe->residual = true;
    scenario.model.moe->sharedWidth = 512;
    const auto residual = layerSegment(scenario, 0);
    ASSERT_TRUE(plain && residual);
    EXPECT_EQ(residual->weights.size(), plain->weights.size() + 5);
    EXPECT_GT(savedBytes(*residual, false), savedBytes(*plain, false));
}

TEST(DeepSpeedMoe, RefusesByNameWhatIsNotModelled) {
    EXPECT_EQ(refusal([](Scenario&) {}), "");
    const auto names = [](const std::string& text, const char* part) {
        return text.find(part) != std::string::npos;
    };
    EXPECT_TRUE(names(refusal([](Scenario& s) { s.layout.shard = Shard::Zero3; }),
                      "Native DeepSpeed MoE is not supported with ZeRO Stage 3"));
    EXPECT_TRUE(
        names(refusal([](Scenario& s) { s.model.moe->sharedWidth = 64; }), "shared experts"));
    EXPECT_TRUE(
        names(refusal([](Scenario& s) { s.model.moe->sigmoidScore = true; }), "by sigmoid"));
    EXPECT_TRUE(names(refusal([](Scenario& s) { s.layout.offload = Offload::OptimizerCpu; }),
                      "layout.offload"));
    EXPECT_TRUE(names(refusal([](Scenario& s) { s.layout.tp = 2; }), "layout.tp"));
    EXPECT_TRUE(names(refusal([](Scenario& s) { s.settings.deepspeed.reduceScatter = false; }),
                      "contiguous_gradients and reduce_scatter must be set to True for MoE"));
    EXPECT_TRUE(names(refusal([](Scenario& s) { s.settings.engine = Engine::Fsdp2; }),
                      "DeepSpeed's engine"));
    EXPECT_TRUE(names(refusal([](Scenario& s) {
                          s.settings.kernels.experts = ExpertKernel::Grouped;
                          s.model.moe->residual = true;
                      }),
                      "residual experts"));
}

}  // namespace
}  // namespace fabricast
