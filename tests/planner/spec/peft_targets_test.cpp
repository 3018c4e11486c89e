#include "planner/spec/peft_targets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

ModelSpec adaptedModel(const std::string& family, bool experts = true) {
    ModelSpec model;
    model.family = family;
    if (experts) {
        model.moe = MoeSpec{.experts = 8, .topK = 2, .expertWidth = 32};
    }
    return model;
}

NameSet inPeft(const std::string& family, const NameSet& targets) {
    return targetsInPeft(adaptedModel(family), targets).value();
}

// What get_peft_model of peft 0.21 adapts in transformers 5.23's models.
TEST(PeftTargets, GateUpAndDownOfAModelWithExpertsAreTheExperts) {
    const NameSet all = {"q", "k", "v", "o", "experts", "router"};
    EXPECT_EQ(inPeft("glm4_moe", {"all-linear"}), all);
    EXPECT_EQ(inPeft("qwen3_moe", {"q", "gate", "up", "down"}), (NameSet{"q", "experts"}));
    EXPECT_EQ(inPeft("gpt_oss", {"all-linear"}), (NameSet{"q", "k", "v", "o"}));
    EXPECT_EQ(inPeft("gpt_oss", {"q", "experts"}), (NameSet{"q", "experts"}));
    const ModelSpec dense = adaptedModel("llama", false);
    EXPECT_EQ(targetsInPeft(dense, {"all-linear"}).value(), everyLinear());
    EXPECT_EQ(usualTargets(dense), everyLinear());
    EXPECT_EQ(usualTargets(adaptedModel("mixtral")), (NameSet{"q", "k", "v", "o"}));
}

TEST(PeftTargets, LatentAttentionHasLayersOfItsOwn) {
    ModelSpec model = adaptedModel("deepseek_v3");
    model.attention.kind = AttentionKind::Latent;
    EXPECT_EQ(usualTargets(model), (NameSet{"q", "kv_a", "kv_b", "o"}));
    model.attention.qLoraRank = 64;
    const NameSet attention = {"q_a", "q_b", "kv_a", "kv_b", "o"};
    EXPECT_EQ(usualTargets(model), attention);
    EXPECT_EQ(targetsInPeft(model, {"all-linear"}).value(),
              (NameSet{"q_a", "q_b", "kv_a", "kv_b", "o", "experts", "router"}));
    EXPECT_EQ(peftNames(model, {"kv_a", "q_b"}).modules,
              (std::vector<std::string>{"kv_a_proj_with_mqa", "q_b_proj"}));
}

TEST(PeftTargets, Llama4sRouterCannotBeAdapted) {
    const ModelSpec model = adaptedModel("llama4_text");
    EXPECT_FALSE(targetsInPeft(model, {"all-linear"}));
    EXPECT_FALSE(targetsInPeft(model, {"q", "router"}));
    const NameSet linear = {"q", "gate", "up", "down"};
    EXPECT_EQ(targetsInPeft(model, linear).value(), linear);
    EXPECT_EQ(peftNames(model, linear).modules,
              (std::vector<std::string>{"down_proj", "gate_proj", "q_proj", "up_proj"}));
}

TEST(PeftTargets, OneHalfOfAFusedStackIsRefusedInItsWords) {
    const auto half = targetsInPeft(adaptedModel("glm4_moe"), {"q", "up"});
    ASSERT_FALSE(half);
    EXPECT_NE(half.error().text().find("up_proj without also targeting gate_proj"),
              std::string::npos);
}

TEST(PeftTargets, AreNamedSoThatTheSameComesBack) {
    using Names = std::vector<std::string>;
    const auto modules = [](const std::string& family, const NameSet& targets) {
        return peftNames(adaptedModel(family), targets).modules;
    };
    const NameSet attention = {"q", "k", "v", "o"};
    const NameSet all = {"q", "k", "v", "o", "experts", "router"};
    EXPECT_EQ(modules("qwen3_moe", attention), (Names{"k_proj", "o_proj", "q_proj", "v_proj"}));
    EXPECT_EQ(modules("qwen3_moe", all), (Names{"all-linear"}));
    EXPECT_EQ(modules("mixtral", {"q", "experts"}), (Names{"q_proj", "w1", "w3", "w2"}));
    EXPECT_EQ(modules("glm4_moe", {"q", "router"}), (Names{"q_proj", "gate"}));
    EXPECT_EQ(modules("gpt_oss", attention), (Names{"all-linear"}));
    const PeftNames stacks = peftNames(adaptedModel("gpt_oss"), {"q", "experts"});
    EXPECT_EQ(stacks.modules, (Names{"q_proj"}));
    EXPECT_EQ(stacks.parameters, (Names{"mlp.experts.gate_up_proj", "mlp.experts.down_proj"}));
    EXPECT_EQ(peftNames(adaptedModel("llama", false), everyLinear()).modules,
              (Names{"all-linear"}));
}

}  // namespace
}  // namespace fabricast
