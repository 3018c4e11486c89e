#include "planner/launch/torchtitan_model.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace fabricast {
namespace {

/// torchtitan/models/*/__init__.py of 0.2.2, and config_registry.py of 0.3.0; empty: it has none.
/// That of 405B in 0.3.0 multiplies in fp8 whatever is typed: it is left out.
struct KnownModel {
    std::string_view name;
    std::string_view folder;
    std::string_view flavor;
    std::string_view config;
};
constexpr std::array kKnown = {
    KnownModel{"llama-3-8b", "llama3", "8B", "llama3_8b"},
    KnownModel{"llama-3.1-8b", "llama3", "8B", "llama3_8b"},
    KnownModel{"llama-3-70b", "llama3", "70B", "llama3_70b"},
    KnownModel{"llama-3.1-70b", "llama3", "70B", "llama3_70b"},
    KnownModel{"llama-3.3-70b", "llama3", "70B", "llama3_70b"},
    KnownModel{"llama-3.1-405b", "llama3", "405B", ""},
    KnownModel{"llama-4-scout", "llama4", "17bx16e", ""},
    KnownModel{"llama-4-maverick", "llama4", "17bx128e", ""},
    KnownModel{"deepseek-v2-lite", "deepseek_v3", "16B", "deepseek_v3_16b"},
    KnownModel{"deepseek-v2", "deepseek_v3", "236B", ""},
    KnownModel{"deepseek-v3", "deepseek_v3", "671B", "deepseek_v3_671b"},
    KnownModel{"gpt-oss-20b", "gpt_oss", "20b", "gpt_oss_20b"},
    KnownModel{"gpt-oss-120b", "gpt_oss", "120b", "gpt_oss_120b"},
    KnownModel{"qwen3-0.6b", "qwen3", "0.6B", "qwen3_0_6b"},
    KnownModel{"qwen3-1.7b", "qwen3", "1.7B", "qwen3_1_7b"},
    KnownModel{"qwen3-4b", "qwen3", "4B", ""},
    KnownModel{"qwen3-8b", "qwen3", "8B", ""},
    KnownModel{"qwen3-14b", "qwen3", "14B", "qwen3_14b"},
    KnownModel{"qwen3-32b", "qwen3", "32B", "qwen3_32b"},
    KnownModel{"qwen3-30b-a3b", "qwen3", "30B-A3B", "qwen3_30b_a3b"},
    KnownModel{"qwen3-235b-a22b", "qwen3", "235B-A22B", ""},
    KnownModel{"moonlight-16b-a3b", "kimi_k2_7", "", "moonlight_16b_a3b"}};

}  // namespace

std::string modelOfTitan(const TitanModel& titan, const std::string& assets) {
    std::string wanted = assets.substr(assets.find_last_of('/') + 1);
    std::ranges::transform(wanted, wanted.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    std::string found;
    for (const KnownModel& one : kKnown) {
        const bool same = titan.config.empty()
                              ? one.folder == titan.folder && one.flavor == titan.flavor
                              : one.config == titan.config;
        if (same && one.name == wanted) {
            return wanted;
        }
        found = same ? std::string(one.name) : found;
    }
    return found;
}

Result<TitanModel> titanModel(const ModelSpec& model, bool named) {
    const auto known = std::ranges::find(kKnown, model.name, &KnownModel::name);
    const bool has = known != kKnown.end() && !(named ? known->config : known->flavor).empty();
    if (has) {
        return TitanModel{
            std::string(known->folder), std::string(known->flavor), std::string(known->config)};
    }
    std::string names;
    for (const KnownModel& one : kKnown) {
        if (!(named ? one.config : one.flavor).empty()) {
            names += (names.empty() ? "" : ", ") + std::string(one.name);
        }
    }
    return fail(Error::Code::Unsupported,
                "model",
                std::string("torchtitan ") + (named ? "0.3.0" : "0.2.2") + " has no config of " +
                    model.name,
                "one of " + names);
}

}  // namespace fabricast
