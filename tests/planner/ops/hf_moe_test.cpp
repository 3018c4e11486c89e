#include "planner/ops/layer_segment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

Scenario sparseScenario(const std::string& family) {
    Scenario scenario;
    ModelSpec& model = scenario.model;
    model.family = family;
    model.layers = 2;
    model.hidden = 64;
    model.vocab = 256;
    model.mlp.width = 192;
    model.attention = {.heads = 4, .kvHeads = 2, .headDim = 16};
    model.moe = MoeSpec{.experts = 8, .topK = 2, .expertWidth = 32};
    if (family == "llama4_text") {
        model.moe->sharedWidth = 32;
    }
    model.sparse.assign(2, true);
    scenario.workload = {.sequence = 128, .globalBatch = 1};
    scenario.settings.engine = Engine::Local;
    scenario.settings.kernels.code = ModelCode::HuggingFace;
    return scenario;
}

std::string refusal(const Scenario& scenario) {
    const auto list = layerSegment(scenario, 0);
    return list ? "" : list.error().text();
}

TEST(HfMoe, RefusesByNameWhatItDoesNotModel) {
    EXPECT_EQ(refusal(sparseScenario("mixtral")), "");
    EXPECT_EQ(refusal(sparseScenario("qwen3_moe")), "");
    EXPECT_EQ(refusal(sparseScenario("gpt_oss")), "");
    EXPECT_EQ(refusal(sparseScenario("glm4_moe")), "");
    EXPECT_EQ(refusal(sparseScenario("deepseek_v3")), "");
    EXPECT_EQ(refusal(sparseScenario("llama4_text")), "");
    const std::string other = refusal(sparseScenario("phimoe"));
    EXPECT_NE(other.find("phimoe are not modelled; those of mixtral, "), std::string::npos);
    EXPECT_NE(other.find("olmoe and granitemoe are"), std::string::npos) << other;
    Scenario chunks = sparseScenario("llama4_text");
    chunks.model.window = {64, 0};
    EXPECT_NE(refusal(chunks).find("masks chunks of 64 tokens"), std::string::npos);
    chunks.model.window = {128, 0};
    EXPECT_EQ(refusal(chunks), "");
    Scenario zero3 = sparseScenario("qwen3_moe");
    zero3.settings.engine = Engine::DeepSpeed;
    zero3.layout = {.dp = 8, .shard = Shard::Zero3};
    EXPECT_EQ(refusal(zero3), "");
    zero3.model.family = "qwen2_moe";
    EXPECT_EQ(refusal(zero3), "");
    zero3.model.family = "mixtral";
    EXPECT_EQ(refusal(zero3), "");
    zero3.settings.kernels.experts = ExpertKernel::Sequential;
    EXPECT_NE(refusal(zero3).find("one by one"), std::string::npos);
    Scenario adafactor = sparseScenario("mixtral");
    adafactor.settings.optimizer.kind = OptimizerKind::Adafactor;
    EXPECT_NE(refusal(adafactor).find("Adafactor"), std::string::npos);
}

// Llama4TextMoe multiplies every token by every expert.
TEST(HfMoe, RunsLlama4sTokensThroughEveryExpert) {
    Scenario scenario = sparseScenario("llama4_text");
    scenario.model.moe->topK = 1;
    const OpList list = layerSegment(scenario, 0).value();
    const auto rows = std::ranges::find(list.ops, "experts.gate_proj", &Op::name);
    ASSERT_NE(rows, list.ops.end());
    EXPECT_EQ(list.tensor(rows->outputs.front()).elements, 8 * 128 * 2 * 32);
}

TEST(HfMoe, TurnsLlama4sHeadsInLayersWithChunksAlone) {
    Scenario scenario = sparseScenario("llama4_text");
    scenario.model.window = {8192, 0};
    const auto turned = [&](std::int64_t layer) {
        const OpList list = layerSegment(scenario, layer).value();
        return std::ranges::count(list.ops, "complex_mul", &Op::name);
    };
    EXPECT_EQ(turned(0), 2);
    EXPECT_EQ(turned(1), 0);
}

TEST(HfMoe, GroupsExpertsInTwoProductsOrTakesThemOneByOne) {
    Scenario scenario = sparseScenario("mixtral");
    const auto products = [&](OpKind kind) {
        const OpList list = layerSegment(scenario, 1).value();
        return std::ranges::count(list.ops, kind, &Op::kind);
    };
    EXPECT_EQ(products(OpKind::GroupedGemm), 2);
    const auto grouped = products(OpKind::Gemm);
    scenario.settings.kernels.experts = ExpertKernel::Sequential;
    EXPECT_EQ(products(OpKind::GroupedGemm), 0);
    EXPECT_EQ(products(OpKind::Gemm), grouped + 2 * 8);
}

Scenario gptOss() {
    Scenario scenario = sparseScenario("gpt_oss");
    scenario.model.attention.sinks = true;
    scenario.model.moe->expertBias = scenario.model.moe->routerBias = true;
    scenario.model.moe->clampedGlu = true;
    scenario.model.window = {32, 0};
    scenario.settings.kernels.norm = NormKernel::Fp32;
    scenario.settings.kernels.rope = RopeKernel::CosSin;
    return scenario;
}

TEST(HfMoe, GptOssKeepsScoresWithAColumnOfSinksUnlessAKernelDoesNot) {
    Scenario scenario = gptOss();
    const auto scores = [&](std::string_view name) {
        const OpList list = layerSegment(scenario, 0).value();
        const auto found = std::ranges::find_if(list.ops, [&](const Op& op) {
            return op.name == name && list.tensor(op.outputs.front()).elements > 128 * 128;
        });
        return found == list.ops.end() ? 0 : list.tensor(found->outputs.front()).elements;
    };
    EXPECT_EQ(scores("softmax"), 0);
    scenario.settings.kernels.attention = AttentionKernel::Unfused;
    EXPECT_EQ(scores("softmax"), 4 * 128 * (128 + 1));  // heads · queries · (keys + 1)
}

TEST(HfMoe, LayersReadTheMaskOfTheirKind) {
    Scenario scenario = gptOss();
    scenario.settings.kernels.attention = AttentionKernel::Unfused;
    const auto reads = [&](std::int64_t layer, std::size_t table) {
        return layerSegment(scenario, layer).value().externals[table] != kNoTensor;
    };
    // cosines, sines, the mask of full attention, that of the window
    EXPECT_TRUE(reads(0, 3));
    EXPECT_FALSE(reads(0, 2));
    EXPECT_TRUE(reads(1, 2));
    EXPECT_FALSE(reads(1, 3));
}

TEST(HfMoe, PeftsNamesOfAnMlpAreThoseOfTheExperts) {
    Scenario scenario = sparseScenario("glm4_moe");
    scenario.model.sparse = {false, true};
    scenario.settings.tuning = Tuning::Lora;
    scenario.settings.lora.targets = {"gate", "up", "down"};
    for (const std::int64_t layer : {0, 1}) {
        const OpList list = layerSegment(scenario, layer).value();
        EXPECT_TRUE(std::ranges::none_of(list.weights, &WeightUse::trained)) << layer;
    }
    scenario.model.moe.reset();
    scenario.model.sparse.clear();
    scenario.model.family = "llama";
    const OpList dense = layerSegment(scenario, 0).value();
    EXPECT_EQ(std::ranges::count(dense.weights, true, &WeightUse::trained), 6);
}

TEST(HfMoe, AdaptersOfExpertsHaveTheRankOfEachExpert) {
    Scenario scenario = sparseScenario("qwen3_moe");
    scenario.settings.tuning = Tuning::Lora;
    scenario.settings.lora.rank = 4;
    const auto trained = [&]() {
        std::int64_t elements = 0;
        const OpList list = layerSegment(scenario, 1).value();
        for (const WeightUse& use : list.weights) {
            elements += use.trained ? use.elements : 0;
        }
        return elements;
    };
    scenario.settings.lora.targets = {"q"};
    const std::int64_t attention = trained();
    EXPECT_EQ(attention, 4 * (64 + 64));
    scenario.settings.lora.targets = {"q", "experts"};
    const std::int64_t gateAndUp = 8 * 2 * 4 * (64 + 2 * 32);
    EXPECT_EQ(trained() - attention, gateAndUp + 8 * 4 * (32 + 64));
    scenario.settings.lora.targets = {"q", "router"};
    EXPECT_EQ(trained() - attention, 4 * (64 + 8));
}

}  // namespace
}  // namespace fabricast
