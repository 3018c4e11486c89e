#include "planner/stack/model_code.h"
#include "planner/stack/titan.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

/// torchtitan/models/*/__init__.py of 0.2.2, and config_registry.py of 0.3.0.
/// That of 405B in 0.3.0 multiplies in fp8 whatever is typed: it is left out.
constexpr std::array kKnownTitanModels = {
    KnownTitanModel{"llama-3-8b", "llama3", "8B", "llama3_8b"},
    KnownTitanModel{"llama-3.1-8b", "llama3", "8B", "llama3_8b"},
    KnownTitanModel{"llama-3-70b", "llama3", "70B", "llama3_70b"},
    KnownTitanModel{"llama-3.1-70b", "llama3", "70B", "llama3_70b"},
    KnownTitanModel{"llama-3.3-70b", "llama3", "70B", "llama3_70b"},
    KnownTitanModel{"llama-3.1-405b", "llama3", "405B", ""},
    KnownTitanModel{"llama-4-scout", "llama4", "17bx16e", ""},
    KnownTitanModel{"llama-4-maverick", "llama4", "17bx128e", ""},
    KnownTitanModel{"deepseek-v2-lite", "deepseek_v3", "16B", "deepseek_v3_16b"},
    KnownTitanModel{"deepseek-v2", "deepseek_v3", "236B", ""},
    KnownTitanModel{"deepseek-v3", "deepseek_v3", "671B", "deepseek_v3_671b"},
    KnownTitanModel{"gpt-oss-20b", "gpt_oss", "20b", "gpt_oss_20b"},
    KnownTitanModel{"gpt-oss-120b", "gpt_oss", "120b", "gpt_oss_120b"},
    KnownTitanModel{"qwen3-0.6b", "qwen3", "0.6B", "qwen3_0_6b"},
    KnownTitanModel{"qwen3-1.7b", "qwen3", "1.7B", "qwen3_1_7b"},
    KnownTitanModel{"qwen3-4b", "qwen3", "4B", ""},
    KnownTitanModel{"qwen3-8b", "qwen3", "8B", ""},
    KnownTitanModel{"qwen3-14b", "qwen3", "14B", "qwen3_14b"},
    KnownTitanModel{"qwen3-32b", "qwen3", "32B", "qwen3_32b"},
    KnownTitanModel{"qwen3-30b-a3b", "qwen3", "30B-A3B", "qwen3_30b_a3b"},
    KnownTitanModel{"qwen3-235b-a22b", "qwen3", "235B-A22B", ""},
    KnownTitanModel{"moonlight-16b-a3b", "kimi_k2_7", "", "moonlight_16b_a3b"}};

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 5> kDeepseekFlavors = {
    "debugmodel", "debugmodel_flex_attn", "16B", "236B", "671B"};
constexpr std::array<std::string_view, 10> kDeepseekConfigs = {
    "deepseek_v3_debugmodel",
    "deepseek_v3_debugmodel_mtp",
    "deepseek_v3_debugmodel_mxfp8",
    "deepseek_v3_debugmodel_hybridep",
    "deepseek_v3_debugmodel_minimal_async_ep",
    "deepseek_v3_16b",
    "deepseek_v3_16b_hybridep",
    "deepseek_v3_16b_minimal_async_ep",
    "deepseek_v3_671b",
    "deepseek_v3_671b_float8"};
constexpr std::array<std::string_view, 3> kGptOssFlavors = {"debugmodel", "20b", "120b"};
constexpr std::array<std::string_view, 4> kGptOssConfigs = {
    "gpt_oss_debugmodel", "gpt_oss_debugmodel_flex", "gpt_oss_20b", "gpt_oss_120b"};
constexpr std::array<std::string_view, 8> kLlama3Flavors = {"debugmodel",
                                                            "debugmodel_flex_attn",
                                                            "debugmodel_varlen_attn",
                                                            "8B",
                                                            "8B_flex",
                                                            "8B_varlen",
                                                            "70B",
                                                            "405B"};
constexpr std::array<std::string_view, 14> kLlama3Configs = {
    "llama3_debugmodel",
    "llama3_debugmodel_varlen_attn",
    "llama3_debugmodel_dist_gemm",
    "llama3_debugmodel_float8",
    "llama3_debugmodel_nvfp4",
    "llama3_debugmodel_first_85_pct_layers_nvfp4",
    "llama3_debugmodel_float8_emulate_lora",
    "llama3_debugmodel_ce_loss",
    "llama3_8b",
    "llama3_8b_first_85_pct_layers_nvfp4",
    "llama3_8b_mxfp8",
    "llama3_70b",
    "llama3_405b",
    "sft_debugmodel"};
constexpr std::array<std::string_view, 6> kLlama4Flavors = {
    "debugmodel", "17bx16e", "17bx128e", "debugmodel_irope", "17bx16e_irope", "17bx128e_irope"};
constexpr std::array<std::string_view, 10> kQwen3Flavors = {"debugmodel",
                                                            "0.6B",
                                                            "1.7B",
                                                            "4B",
                                                            "8B",
                                                            "14B",
                                                            "32B",
                                                            "debugmodel_moe",
                                                            "30B-A3B",
                                                            "235B-A22B"};
constexpr std::array<std::string_view, 15> kQwen3Configs = {
    "qwen3_debugmodel",
    "qwen3_debugmodel_nvfp4",
    "qwen3_debugmodel_first_85_pct_layers_nvfp4",
    "qwen3_debugmodel_moe_param_groups",
    "qwen3_debugmodel_flex_flash",
    "qwen3_debugmodel_non_fused_qkv",
    "qwen3_0_6b",
    "qwen3_1_7b",
    "qwen3_8b_first_85_pct_layers_nvfp4",
    "qwen3_14b",
    "qwen3_30b_a3b",
    "qwen3_32b",
    "qwen3_moe_debug",
    "qwen3_moe_deepep",
    "sft_qwen3_8b_math"};
constexpr std::array<std::string_view, 4> kKimiConfigs = {
    "kimi_k2_5_debugmodel", "moonlight_16b_a3b", "kimi_vl_a3b", "kimi_k2_5"};
/// Of language models.
constexpr std::array kTitanFolders = {
    TitanFolder{"deepseek_v3", Names(kDeepseekFlavors), Names(kDeepseekConfigs)},
    TitanFolder{"gpt_oss", Names(kGptOssFlavors), Names(kGptOssConfigs)},
    TitanFolder{"kimi_k2_7", Names(), Names(kKimiConfigs)},
    TitanFolder{"llama3", Names(kLlama3Flavors), Names(kLlama3Configs)},
    TitanFolder{"llama4", Names(kLlama4Flavors), Names()},
    TitanFolder{"qwen3", Names(kQwen3Flavors), Names(kQwen3Configs)}};

/// Families whose layers are in torchtitan/models of 0.2.2 or 0.3.0: llama3, llama4 (0.2.2 alone),
/// deepseek_v3, kimi_k2_7 (0.3.0 alone; K2's language model), qwen3 and gpt_oss. Its flux trains
/// images, and qwen3_5 and muse_glimmer are families that are not modelled here.
constexpr std::array<std::string_view, 8> kTitanFamilies = {"llama",
                                                            "llama4_text",
                                                            "deepseek_v2",
                                                            "deepseek_v3",
                                                            "kimi_k2",
                                                            "qwen3",
                                                            "qwen3_moe",
                                                            "gpt_oss"};

/// The layers of torchtitan/models/llama3 have no biases.
bool hasBiases(const ModelSpec& model) {
    return model.attention.qkvBias || model.attention.outBias || model.mlp.bias;
}

}  // namespace

std::span<const KnownTitanModel> knownTitanModels() {
    return kKnownTitanModels;
}

std::span<const TitanFolder> titanFolders() {
    return kTitanFolders;
}

bool isTitanConfig(const ModelSpec& model) {
    return std::ranges::find(kKnownTitanModels, model.name, &KnownTitanModel::name) !=
           kKnownTitanModels.end();
}

std::string whyNoTitanFlavor(const ModelSpec& model) {
    const AttentionSpec& attention = model.attention;
    return model.family != "llama" ? "configs are written for its llama3 alone"
           : model.tiedEmbeddings  ? "its llama3 does not tie embeddings"
           : !model.window.empty() ? "its llama3 has no attention window"
           : model.moe.has_value() ? "its llama3 has no experts"
           : attention.heads * attention.headDim != model.hidden
               ? "heads of its llama3 make up the hidden width"
               : "";
}

Result<void> checkTitanConfig(const ModelSpec& model) {
    FABRICAST_TRY(checkTitanCode(model));
    if (isTitanConfig(model) || whyNoTitanFlavor(model).empty()) {
        return {};
    }
    return fail(Error::Code::Unsupported,
                "model",
                "torchtitan has the code of " + model.family + ", but no config of " + model.name +
                    " (" + whyNoTitanFlavor(model) + ")",
                "--stack fsdp2, accelerate or deepspeed, which run Hugging Face's code");
}

Result<void> checkTitanCode(const ModelSpec& model) {
    const bool isFamily = std::ranges::find(kTitanFamilies, model.family) != kTitanFamilies.end() &&
                          !(model.family == "llama" && hasBiases(model));
    if (isFamily || isTitanConfig(model)) {
        return {};
    }
    return fail(Error::Code::Unsupported,
                "model",
                "torchtitan 0.2.2 and 0.3.0 have no code for " + model.name,
                "--stack fsdp2, accelerate or deepspeed, which run Hugging Face's code");
}

}  // namespace fabricast
