#include "planner/memory/reference_model.h"

#include "planner/memory/check_memory.h"
#include "planner/memory/walk_stage.h"
#include "planner/spec/check_settings.h"
#include "planner/stack/stack.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

Scenario withReference(Reference reference, const ReferenceSettings& model) {
    Scenario scenario;
    scenario.stack = reference == Reference::Sharded ? "fsdp2" : "ddp";
    scenario.model.family = "llama";
    scenario.model.layers = 2;
    scenario.model.hidden = 64;
    scenario.model.vocab = 4096;
    scenario.model.mlp.width = 192;
    scenario.model.attention = {.heads = 4, .kvHeads = 2, .headDim = 16};
    scenario.workload = {.sequence = 512, .globalBatch = 8};
    scenario.layout.dp = 8;
    scenario.layout.shard = reference == Reference::Sharded ? Shard::Fsdp : Shard::None;
    scenario.settings =
        defaultSettings(*findStack(scenario.stack).value(), scenario.model, scenario.layout);
    scenario.settings.reference = reference;
    scenario.settings.referenceModel = model;
    return scenario;
}

std::int64_t peakWith(Reference reference, const ReferenceSettings& model) {
    return walkStage(withReference(reference, model), {}).value().requested.count();
}

// Two bytes a parameter and four, of as many as are said, over eight ranks or on each.
TEST(ReferenceModel, TakesItsParametersInItsType) {
    constexpr std::int64_t kMany = 80'000'000;
    const auto more = [](Reference reference, const ReferenceSettings& model) {
        return peakWith(reference, model) -
               peakWith(reference, {.dtype = model.dtype, .parameters = 8});
    };
    EXPECT_EQ(more(Reference::Whole, {.parameters = kMany}), 2 * (kMany - 8));
    EXPECT_EQ(more(Reference::Whole, {.dtype = Dtype::Fp32, .parameters = kMany}), 4 * (kMany - 8));
    EXPECT_EQ(more(Reference::Sharded, {.dtype = Dtype::Fp32, .parameters = kMany}),
              4 * (kMany - 8) / 8);
    // A copy in bf16 is half as large as one in fp32, but for its buffers.
    const std::int64_t none = peakWith(Reference::None, {});
    const std::int64_t half = peakWith(Reference::Whole, {}) - none;
    const std::int64_t all = peakWith(Reference::Whole, {.dtype = Dtype::Fp32}) - none;
    EXPECT_NEAR(static_cast<double>(all) / static_cast<double>(half), 2.0, 0.01);
}

TEST(ReferenceModel, SaysWhatItIs) {
    EXPECT_EQ(referenceNote(withReference(Reference::Whole, {})),
              "weights include a frozen bf16 reference model, whole on each GPU; what generates "
              "the samples is not included");
    EXPECT_EQ(
        referenceNote(withReference(Reference::Whole, {.dtype = Dtype::Fp32, .forward = false})),
        "weights include an average of the weights in fp32, whole on each GPU");
}

TEST(ReferenceModel, OfFewBitsIsRefused) {
    const auto checked = checkModelled(withReference(Reference::Whole, {.dtype = Dtype::Nf4}));
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().where, "settings.reference_model.dtype");
    Scenario adapters = withReference(Reference::Whole, {.parameters = 70'000'000'000});
    adapters.settings.tuning = Tuning::Lora;
    EXPECT_TRUE(checkReference(adapters));
    adapters.settings.referenceModel.parameters = 0;
    EXPECT_FALSE(checkReference(adapters));
}

}  // namespace
}  // namespace fabricast
