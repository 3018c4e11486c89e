#include "planner/spec/autoep_presets.h"

#include <algorithm>
#include <array>

namespace fabricast {

namespace {

struct AutoEpFamily {
    std::string_view family;  ///< transformers' model_type
    std::string_view preset;
};
/// deepspeed/module_inject/auto_ep_presets of 0.19.8, of which two more, qwen3_5_moe and
/// minimax_m3, are for families that no model here has.
constexpr std::array kAutoEpFamilies = {AutoEpFamily{"mixtral", "mixtral"},
                                        AutoEpFamily{"qwen2_moe", "qwen3_moe"},
                                        AutoEpFamily{"qwen3_moe", "qwen3_moe"},
                                        AutoEpFamily{"deepseek_v2", "deepseek_v2"},
                                        AutoEpFamily{"deepseek_v3", "deepseek_v3"}};

}  // namespace

std::string_view autoEpPreset(std::string_view family) {
    const auto* const found = std::ranges::find(kAutoEpFamilies, family, &AutoEpFamily::family);
    return found == kAutoEpFamilies.end() ? std::string_view{} : found->preset;
}

}  // namespace fabricast
