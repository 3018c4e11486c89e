#include "planner/ops/hf_code.h"

#include <algorithm>
#include <array>

namespace fabricast {

namespace {

constexpr HfCode kLikeLlama{};
/// transformers 5.23.
constexpr std::array kHfCodes = {
    HfCode{.family = "gpt_oss", .scalesNormWide = true, .rotatesHalves = true},
    HfCode{.family = "glm4_moe", .normsHeadsLast = true, .rotaryShare = 2}};

bool runsTransformers(const Scenario& scenario) {
    return scenario.settings.kernels.code == ModelCode::HuggingFace;
}

}  // namespace

const HfCode& hfCodeOf(const Scenario& scenario) {
    const auto* const found = std::ranges::find(kHfCodes, scenario.model.family, &HfCode::family);
    return runsTransformers(scenario) && found != kHfCodes.end() ? *found : kLikeLlama;
}

std::int64_t rotaryColumns(const Scenario& scenario) {
    const HfCode& code = hfCodeOf(scenario);
    const std::int64_t rotated = scenario.model.attention.headDim / code.rotaryShare;
    return code.rotatesHalves ? rotated / 2 : rotated;
}

std::string_view mlpTarget(const Scenario& scenario, std::string_view target) {
    return runsTransformers(scenario) && scenario.model.moe ? "" : target;
}

}  // namespace fabricast
