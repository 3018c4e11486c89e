#include "planner/stack/titan_models.h"

#include "planner/stack/packaged_models.h"

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

bool isTitanConfig(const ModelSpec& model) {
    return std::ranges::find(kKnownTitanModels, model.name, &KnownTitanModel::name) !=
           kKnownTitanModels.end();
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
