#include "planner/models/hf_config.h"

#include "planner/models/model_file.h"
#include "planner/text/text_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace fabricast {
namespace hf_config_test {

using namespace std::string_literals;

Result<ModelSpec> read(const std::string& text) {
    return parseModel(text, "config.json");
}

Error errorOf(const std::string& text) {
    const Result<ModelSpec> model = read(text);
    EXPECT_FALSE(model) << text;
    return model ? Error{} : model.error();
}

std::int64_t sparseLayers(const ModelSpec& model) {
    return std::count(model.sparse.begin(), model.sparse.end(), true);
}

TEST(HfConfig, AbsentIsTheDefaultOfTheClassAndNullIsNot) {
    EXPECT_EQ(read(R"({"model_type": "deepseek_v3"})")->attention.qLoraRank, 1536);
    EXPECT_EQ(read(R"({"model_type": "deepseek_v3", "q_lora_rank": null})")->attention.qLoraRank,
              0);
    EXPECT_EQ(read(R"({"model_type": "mistral"})")->attention.kvHeads, 8);
    EXPECT_EQ(read(R"({"model_type": "mistral", "num_key_value_heads": null})")->attention.kvHeads,
              32);
    EXPECT_EQ(read(R"({"model_type": "qwen3", "hidden_size": 2048})")->attention.headDim, 128);
    EXPECT_EQ(read(R"({"model_type": "qwen3", "hidden_size": 2048, "head_dim": null})")
                  ->attention.headDim,
              64);
    EXPECT_EQ(read(R"({"model_type": "gpt2", "n_inner": null})")->mlp.width, 3072);
    EXPECT_TRUE(read(R"({"model_type": "gemma2"})")->tiedEmbeddings);
    EXPECT_FALSE(read(R"({"model_type": "llama"})")->tiedEmbeddings);
}

// transformers' class of DeepSeek-V2 has two methods, of which the usual one looks at no groups;
// that of DeepSeek-V3 has one, and reads no key for it.
TEST(HfConfig, ADeepSeekRoutesByTheMethodOfItsClass) {
    const auto groupsOf = [](const std::string& type, const std::string& more) {
        return read(R"({"num_experts_per_tok": 6, "n_group": 8, "topk_group": 3, "model_type": ")" +
                    type + "\"" + more + "}")
            ->moe->groups;
    };
    EXPECT_EQ(groupsOf("deepseek_v2", ""), 1);
    EXPECT_EQ(groupsOf("deepseek_v2", R"(, "topk_method": "greedy")"), 1);
    EXPECT_EQ(groupsOf("deepseek_v2", R"(, "topk_method": "group_limited_greedy")"), 8);
    EXPECT_EQ(groupsOf("deepseek_v3", ""), 8);
    EXPECT_EQ(groupsOf("deepseek_v3", R"(, "topk_method": "greedy")"), 8);
    const Error error = errorOf(
        R"({"model_type": "deepseek_v2", "num_experts_per_tok": 6, "topk_method": "noaux_tc"})");
    EXPECT_NE(error.why.find("is no method of this class"), std::string::npos) << error.why;
}

// Factors of transformers' YaRN: attention_factor, or that of mscale over that of mscale_all_dim,
// or 0.1 ln(factor) + 1.
TEST(HfConfig, YarnScalesRotaryEmbeddingUnlessItsFactorsCancel) {
    const auto scales = [](const std::string& key, const std::string& rotation) {
        return read(R"({"model_type": "qwen2", ")" + key + "\": {" + rotation + "}}")
            ->attention.scaledRotary;
    };
    EXPECT_TRUE(scales("rope_scaling", R"("type": "yarn", "factor": 4.0)"));
    EXPECT_TRUE(scales("rope_parameters", R"("rope_type": "yarn", "factor": 4.0)"));
    EXPECT_FALSE(scales("rope_scaling", R"("rope_type": "yarn", "factor": 1.0)"));
    EXPECT_FALSE(scales("rope_scaling", R"("rope_type": "linear", "factor": 4.0)"));
    EXPECT_FALSE(
        scales("rope_scaling", R"("type": "yarn", "factor": 4.0, "attention_factor": 1.0)"));
    EXPECT_FALSE(scales("rope_scaling",
                        R"("type": "yarn", "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0)"));
    EXPECT_TRUE(scales("rope_scaling", R"("type": "yarn", "factor": 40, "mscale": 1.0)"));
    EXPECT_TRUE(read(R"({"model_type": "gpt_oss"})")->attention.scaledRotary);
    EXPECT_FALSE(read(R"({"model_type": "qwen2"})")->attention.scaledRotary);
}

TEST(HfConfig, KeysHaveAliases) {
    EXPECT_EQ(read(R"({"model_type": "gpt2", "num_hidden_layers": 3})")->layers, 3);
    EXPECT_EQ(read(R"({"model_type": "bloom", "n_embed": 1024, "n_head": 16})")->hidden, 1024);
    EXPECT_EQ(read(R"({"model_type": "qwen3_moe", "num_experts": 16})")->moe->experts, 16);
    EXPECT_EQ(read(R"({"model_type": "qwen3_moe", "num_local_experts": 16})")->moe->experts, 16);
    EXPECT_EQ(read(R"({"model_type": "deepseek_v3", "num_mtp_layers": 0})")->mtpDepth, 0);
    const Error error =
        errorOf("{\"model_type\": \"gpt2\",\n \"n_embd\": 768, \"hidden_size\": 1024}");
    EXPECT_EQ(error.where, "config.json:2:32");
    EXPECT_NE(error.why.find("n_embd"), std::string::npos);
}

TEST(HfConfig, SparseLayersAreWhereTheFamilySaysSo) {
    const std::string qwen = R"({"model_type": "qwen3_moe", "num_hidden_layers": 12)"s;
    EXPECT_EQ(sparseLayers(*read(qwen + "}")), 12);
    EXPECT_EQ(
        sparseLayers(*read(qwen + R"(, "decoder_sparse_step": 2, "mlp_only_layers": [1, 3]})")), 4);
    EXPECT_FALSE(read(qwen + R"(, "num_experts": 0})")->moe);
    const std::string llama4 = R"({"model_type": "llama4_text", "num_hidden_layers": 12)"s;
    EXPECT_EQ(sparseLayers(*read(llama4 + R"(, "moe_layers": []})")), 0);
    EXPECT_EQ(
        sparseLayers(*read(llama4 + R"(, "moe_layers": null, "interleave_moe_layer_step": 3})")),
        4);
    EXPECT_EQ(sparseLayers(*read(R"({"model_type": "deepseek_v3", "first_k_dense_replace": 99})")),
              0);
}

TEST(HfConfig, WindowsFollowEachFamily) {
    EXPECT_EQ(read(R"({"model_type": "gpt_oss", "num_hidden_layers": 3})")->window,
              (std::vector<std::int64_t>{128, 0, 128}));
    EXPECT_EQ(
        read(R"({"model_type": "gemma3_text", "num_hidden_layers": 6, "sliding_window": 512})")
            ->window,
        (std::vector<std::int64_t>{512, 512, 512, 512, 512, 0}));
    EXPECT_EQ(read(R"({"model_type": "gemma3_text", "num_hidden_layers": 2, "sliding_window": 512,
                       "layer_types": ["full_attention", "sliding_attention"]})")
                  ->window,
              (std::vector<std::int64_t>{0, 512}));
    EXPECT_TRUE(read(R"({"model_type": "mistral", "sliding_window": null})")->window.empty());
    EXPECT_TRUE(read(R"({"model_type": "qwen2", "sliding_window": 4096})")->window.empty());
    EXPECT_EQ(read(R"({"model_type": "qwen2", "num_hidden_layers": 3, "use_sliding_window": true,
                       "max_window_layers": 1})")
                  ->window,
              (std::vector<std::int64_t>{0, 4096, 4096}));
}

TEST(HfConfig, LanguageModelOfAMultimodalModelIsRead) {
    const Result<ModelSpec> model =
        read(R"({"model_type": "gemma3", "vision_config": {"hidden_size": 1},
        "tie_word_embeddings": false, "text_config": {"hidden_size": 2560}})");
    ASSERT_TRUE(model) << model.error().text();
    EXPECT_EQ(model->family, "gemma3_text");
    EXPECT_EQ(model->hidden, 2560);
    EXPECT_FALSE(model->tiedEmbeddings);
    EXPECT_EQ(model->notes.size(), 1U);
    EXPECT_NE(errorOf(R"({"model_type": "llama4"})").why.find("text_config"), std::string::npos);
}

TEST(HfConfig, ClassNameServesWhereTheTypeIsAbsent) {
    EXPECT_EQ(read(R"({"architectures": ["MPTForCausalLM"]})")->family, "mpt");
    EXPECT_EQ(read(R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 512})")->hidden, 512);
}

TEST(HfConfig, UnknownArchitectureNamesWhatNobodyUnderstands) {
    const Error error = errorOf(
        "{\n  \"hidden_size\": 64,\n  \"d_conv\": 4,\n  \"d_state\": 16,\n  \"model_type\": "
        "\"mamba\"\n}");
    EXPECT_EQ(error.code, Error::Code::Unsupported);
    EXPECT_EQ(error.where, "config.json:5:17");
    EXPECT_EQ(error.why,
              R"("mamba" is not a supported architecture; not understood: "d_conv", "d_state")");
    EXPECT_NE(error.hint.find("known: bloom, deepseek_v2"), std::string::npos);
    EXPECT_NE(errorOf(R"({"architectures": ["MambaForCausalLM"]})").why.find("MambaForCausalLM"),
              std::string::npos);
}

TEST(HfConfig, UnknownArchitectureNamesTheNearest) {
    const Error error = errorOf(R"({"model_type": "qwen3_next"})");
    EXPECT_TRUE(error.hint.starts_with("nearest: qwen3_moe; three of four")) << error.hint;
    EXPECT_NE(error.hint.find("describe the model"), std::string::npos) << error.hint;
}

TEST(HfConfig, EveryFamilyIsInTheDocumentation) {
    const Result<std::string> text = readTextFile(FABRICAST_SOURCE_DIR "/docs/scenario.md");
    ASSERT_TRUE(text);
    std::string list;
    for (const std::string_view name : hfModelTypes()) {
        list += (list.empty() ? "`" : ", `") + std::string(name) + "`";
    }
    EXPECT_NE(text->find("families are read: " + list + "."), std::string::npos) << list;
}

TEST(HfConfig, LanguageModelOfQwen25VlIsReadFromEitherForm) {
    const Result<ModelSpec> flat = read(R"({"model_type": "qwen2_5_vl", "hidden_size": 1024,
        "num_attention_heads": 8, "rope_scaling": {"type": "mrope"}, "vision_config": {}})");
    ASSERT_TRUE(flat) << flat.error().text();
    EXPECT_EQ(flat->family, "qwen2_5_vl_text");
    EXPECT_TRUE(flat->attention.qkvBias);
    EXPECT_EQ(flat->notes.front(), "language model only: the vision tower is left out");
    const Result<ModelSpec> nested = read(R"({"model_type": "qwen2_5_vl", "text_config":
        {"model_type": "qwen2_5_vl_text", "hidden_size": 1024, "num_attention_heads": 8}})");
    ASSERT_TRUE(nested) << nested.error().text();
    EXPECT_EQ(nested->hidden, flat->hidden);
}

struct Refusal {
    std::string text;
    std::string where;
    std::string why;  ///< a part of it
};

TEST(HfConfig, ErrorsStandWhereTheMistakeIs) {
    const std::vector<Refusal> refusals{
        {"", "config.json:1:1", "not valid JSON"},
        {"[]", "config.json:1:1", "object"},
        {R"({"model_type": "olmoe", "clip_qkv": 8.0})",
         "config.json:1:37",
         "8.0 clamps queries, keys and values, which is not modelled"},
        {R"({"model_type": "olmoe", "norm_topk_prob": true})",
         "config.json:1:43",
         "true divides the chosen scores by their sum"},
        {R"({"model_type": "minimax_m2", "rotary_dim": 32})",
         "config.json:1:44",
         "turns 32 of 128 columns of a head; modelled is half of them"},
        {"{}", "config.json:1:1", "model_type"},
        {R"({"model_type": 7})", "config.json:1:16", "string"},
        {"{\"model_type\": \"llama\",\n\"hidden_size\": \"big\"}",
         "config.json:2:16",
         "hidden_size"},
        {"{\"model_type\": \"llama\",\n\"hidden_size\": 0}", "config.json:2:16", "from 1"},
        {"{\"model_type\": \"llama\",\n\"hidden_size\": -4096}", "config.json:2:16", "-4096"},
        {"{\"model_type\": \"llama\",\n\"hidden_size\": 1e300}", "config.json:2:16", "1e300"},
        {"{\"model_type\": \"llama\",\n\"hidden_size\": null}", "config.json:2:16", "null"},
        {"{\"model_type\": \"llama\",\n\"num_hidden_layers\": 1000000}",
         "config.json:2:22",
         "1024"},
        {"{\"model_type\": \"llama\",\n\"num_attention_heads\": 3}", "config.json:2:24", "3 heads"},
        {R"({"model_type": "llama", "num_key_value_heads": 5})", "config.json:1:48", "kv heads"},
        {"{\"model_type\": \"llama\",\n\"attention_bias\": 1}",
         "config.json:2:19",
         "true or false"},
        {R"({"model_type": "llama", "num_hidden_layers": 0})",
         "config.json:1:46",
         "from 1 to 1024"},
        {R"({"model_type": "llama", "num_hidden_layers": 1000000000})",
         "config.json:1:46",
         "from 1 to 1024"},
        {R"({"model_type": "mixtral", "num_local_experts": 1000000000})",
         "config.json:1:48",
         "from 0 to 100000"},
        {"{\"model_type\": \"bloom\",\n\"n_head\": 7}", "config.json:2:11", "7 heads unevenly"},
        {"{\"model_type\": \"gpt2\",\n\"hidden_size\": 700}", "config.json:2:16", "12 heads"},
        {"{\"model_type\": \"deepseek_v2\"}", "config.json:1:1", "num_experts_per_tok"},
        {R"({"model_type": "mixtral", "num_experts_per_tok": 9})", "config.json:1:50", "9 of 8"},
        {"{\"model_type\": \"llama4_text\",\n\"attention_bias\": true}",
         "config.json:2:19",
         "versions 4 and 5"},
        {"{\"model_type\": \"gpt_oss\", \"num_hidden_layers\": 2,\n\"layer_types\": "
         "[\"full_attention\"]}",
         "config.json:2:16",
         "1 entries for 2 layers"},
        {"{\"model_type\": \"gpt2\",\n\"add_cross_attention\": true}",
         "config.json:2:24",
         "not supported"},
        {R"({"model_type": "llama", "hidden_size": 900000000, "num_attention_heads": 1})",
         "config.json:1:1",
         "1e15"},
        {R"({"model_type": "llama", "model_type": "gpt2"})", "config.json:1:25", "twice"}};
    for (const Refusal& refusal : refusals) {
        const Error error = errorOf(refusal.text);
        EXPECT_EQ(error.where, refusal.where) << refusal.text << "\n" << error.text();
        EXPECT_NE(error.why.find(refusal.why), std::string::npos) << error.text();
        if (refusal.why.find("JSON") == std::string::npos) {
            EXPECT_FALSE(error.hint.empty()) << error.text();
        }
    }
}

}  // namespace hf_config_test
}  // namespace fabricast
