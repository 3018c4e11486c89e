#include "planner/ops/dense_layer.h"
#include "planner/ops/layer_segment.h"
#include "planner/ops/liger.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fabricast {
namespace {

constexpr std::int64_t kLigerTokens = 2048;
constexpr std::int64_t kLigerHidden = 512;
constexpr std::int64_t kLigerInner = 1408;

Scenario ligerLayer(const std::string& family) {
    Scenario scenario;
    scenario.model.family = family;
    scenario.model.layers = 2;
    scenario.model.hidden = kLigerHidden;
    scenario.model.vocab = 32000;
    scenario.model.mlp.width = kLigerInner;
    scenario.model.attention.heads = 8;
    scenario.model.attention.kvHeads = 4;
    scenario.model.attention.headDim = 64;
    scenario.workload = {.sequence = kLigerTokens, .globalBatch = 1};
    KernelSettings& kernels = scenario.settings.kernels;
    kernels.code = ModelCode::HuggingFace;
    kernels.norm = NormKernel::Liger;
    kernels.rope = RopeKernel::Liger;
    kernels.activation = ActivationKernel::Liger;
    scenario.settings.precision.parameters = Dtype::Bf16;
    return scenario;
}

const Op& opNamed(const OpList& list, std::string_view name) {
    return *std::ranges::find(list.ops, name, &Op::name);
}

// Of each norm its input and a number of each row; queries, keys, values, what attention gives and
// its own sums and seed; both factors of the MLP, their product, and what the products read.
TEST(LigerLayers, KeepOneTensorOfEachStep) {
    const std::int64_t inputs = 2 * kLigerTokens * kLigerHidden;
    const std::int64_t heads = 2 * kLigerTokens * 64 * (8 + 4 + 4 + 8) + 4 * kLigerTokens * 8 + 24;
    const std::int64_t mlp = 2 * kLigerTokens * 3 * kLigerInner;
    EXPECT_EQ(savedBytes(eagerLayer(ligerLayer("llama"), 0), true),
              4 * inputs + 2 * 4 * kLigerTokens + heads + mlp);
}

// Time is asked for where memory is not modelled, and makes the same operations.
TEST(LigerLayers, AreNoOpsOfModelsThatLigerDoesNotKnow) {
    Scenario scenario = ligerLayer("opt");
    scenario.model.position = PositionKind::Learned;
    const auto ops = layerSegment(scenario, 0);
    ASSERT_FALSE(ops);
    EXPECT_EQ(ops.error().where, "settings.kernels.norm");
    EXPECT_TRUE(layerSegment(ligerLayer("llama"), 0));
}

TEST(LigerLayers, WriteOverWhatTheyAreGiven) {
    const OpList llama = eagerLayer(ligerLayer("llama"), 0);
    EXPECT_TRUE(opNamed(llama, "rms_norm").inPlaceBackward);
    const Op& gated = opNamed(llama, "gated");
    EXPECT_TRUE(gated.gradientsOver == gated.inputs);
    const Op& rope = opNamed(llama, "rope");
    EXPECT_EQ(llama.tensor(rope.outputs[0]).base, llama.tensor(rope.inputs[0]).base);
}

// Between two norms a residual reads the same gradient.
TEST(LigerLayers, KeepTheGradientOfGemmasNorms) {
    const OpList gemma = eagerLayer(ligerLayer("gemma2"), 0);
    EXPECT_FALSE(opNamed(gemma, "rms_norm").inPlaceBackward);
}

TEST(LigerLayers, LeaveRotaryEmbeddingOfGlm4AsItIs) {
    EXPECT_TRUE(rotatesByLiger(ligerLayer("llama")));
    EXPECT_FALSE(rotatesByLiger(ligerLayer("glm4")));
}

}  // namespace
}  // namespace fabricast
