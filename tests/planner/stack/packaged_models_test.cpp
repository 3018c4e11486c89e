#include "planner/stack/model_code.h"
#include "planner/stack/titan.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

ModelSpec ofFamily(const std::string& family, const std::string& name = "ours") {
    ModelSpec model;
    model.family = family;
    model.name = name;
    model.layers = 2;
    return model;
}

std::string whyNot(std::string_view stack, const ModelSpec& model) {
    const Result<void> code = checkHasCode(stack, model);
    return code ? "" : code.error().why;
}

TEST(PackagedModels, TorchtitanHasTheFamiliesOfItsReleases) {
    for (const char* family : {"llama",
                               "llama4_text",
                               "deepseek_v2",
                               "deepseek_v3",
                               "kimi_k2",
                               "qwen3",
                               "qwen3_moe",
                               "gpt_oss"}) {
        EXPECT_EQ(whyNot("torchtitan", ofFamily(family)), "") << family;
    }
    for (const char* family : {"gemma3_text", "glm4_moe", "qwen2", "mistral", "mixtral", "gpt"}) {
        EXPECT_EQ(whyNot("torchtitan", ofFamily(family)),
                  "torchtitan 0.2.2 and 0.3.0 have no code for ours")
            << family;
    }
    for (const KnownTitanModel& one : knownTitanModels()) {
        EXPECT_EQ(whyNot("torchtitan", ofFamily("", std::string(one.name))), "") << one.name;
    }
    ModelSpec biased = ofFamily("llama");
    biased.attention.qkvBias = true;
    EXPECT_NE(whyNot("torchtitan", biased), "");
}

TEST(PackagedModels, MegatronHasWhatItsArgumentsSay) {
    ModelSpec model = ofFamily("llama");
    EXPECT_EQ(whyNot("megatron", model), "");
    model.window = {4096, 4096};
    EXPECT_EQ(whyNot("megatron", model), "");
    model.window = {4096, 0};  // --window-attn-skip-freq
    EXPECT_EQ(whyNot("nemo", model), "");
    model.window = {4096, 1024};
    EXPECT_EQ(whyNot("nemo", model),
              "pretrain_gpt.py of Megatron-Core has no windows of several sizes, which ours has");
    EXPECT_EQ(whyNot("nemo", ofFamily("llama4_text")),
              "pretrain_gpt.py of Megatron-Core has no attention within chunks, which ours has");
    EXPECT_EQ(whyNot("nemo", ofFamily("granite")),
              "pretrain_gpt.py of Megatron-Core has no multiplier of residuals, embedding and "
              "logits, which ours has");
    model.normPlacement = NormPlacement::Around;
    EXPECT_EQ(whyNot("megatron-fsdp", model),
              "pretrain_gpt.py of Megatron-Core has no norm after attention and MLP, which ours "
              "has");
    EXPECT_EQ(whyNot("fsdp2", model), "");  // transformers' own code
}

// megatron/bridge/models of 0.3.1 has providers of families that pretrain_gpt.py has no words for.
TEST(PackagedModels, MegatronBridgeHasMoreFamiliesThanPretrainGpt) {
    ModelSpec model = ofFamily("olmoe", "olmoe-1b-7b");
    model.attention.qkNorm = QkNorm::FullWidth;
    EXPECT_EQ(whyNot("megatron", model), "");
    EXPECT_EQ(whyNot("nemo", model), "");
    EXPECT_FALSE(checkMegatronCode(model));
    EXPECT_EQ(ownPartNote("megatron", model, Tuning::Full),
              "of Megatron's programs only Megatron Bridge has olmoe-1b-7b: "
              "megatron.bridge.recipes.olmoe");
    // What has its arguments needs no recipe.
    EXPECT_EQ(ownPartNote("megatron", ofFamily("gpt_oss", "gpt-oss-20b"), Tuning::Full),
              std::nullopt);
    EXPECT_EQ(ownPartNote("torchtitan", ofFamily("gpt_oss", "gpt-oss-20b"), Tuning::Full),
              std::nullopt);
}

TEST(PackagedModels, WhatWouldBeTheUsersOwnIsSaid) {
    EXPECT_EQ(ownPartNote("torchtitan", ofFamily("llama", "llama-3.1-8b"), Tuning::Full),
              std::nullopt);
    EXPECT_EQ(ownPartNote("torchtitan", ofFamily("llama"), Tuning::Full),
              "torchtitan has the code of llama, but no config of ours: emit writes one for 0.2.2");
    ModelSpec tied = ofFamily("llama");
    tied.tiedEmbeddings = true;
    EXPECT_EQ(ownPartNote("torchtitan", tied, Tuning::Full),
              "torchtitan has the code of llama, but no config of ours (its llama3 does not tie "
              "embeddings): it would be yours, and emit "
              "refuses it");
    EXPECT_EQ(ownPartNote("torchtitan", ofFamily("glm4_moe"), Tuning::Full),
              "torchtitan 0.2.2 and 0.3.0 have no code for ours: its code would be yours, and emit "
              "refuses it");
    EXPECT_EQ(ownPartNote("deepspeed", ofFamily("glm4_moe"), Tuning::Full), std::nullopt);
}

}  // namespace
}  // namespace fabricast
