#include "planner/ops/hf_code.h"

#include <algorithm>
#include <array>

namespace fabricast {

namespace {

using NormScale = OpBuilder::NormScale;

constexpr HfCode kLikeLlama{};
/// transformers 5.23.
constexpr std::array kHfCodes = {
    HfCode{.family = "gpt_oss", .norm = NormScale::Wide, .rotatesHalves = true},
    HfCode{.family = "glm4_moe", .normsHeadsLast = true, .joinsRotary = true, .rotaryShare = 2},
    HfCode{.family = "glm", .joinsRotary = true, .interleavesRotary = true, .rotaryShare = 2},
    HfCode{.family = "glm4", .joinsRotary = true, .interleavesRotary = true, .rotaryShare = 2},
    HfCode{.family = "phi3", .joinsRotary = true},
    HfCode{.family = "olmo2", .norm = NormScale::Wide, .rotatesWide = true},
    HfCode{.family = "olmo3", .norm = NormScale::Wide, .rotatesWide = true},
    HfCode{.family = "ernie4_5", .interleavesRotary = true, .rotatesWide = true},
    HfCode{.family = "qwen2_5_vl_text", .rotatesEachSequence = true},
    HfCode{.family = "minimax_m2", .joinsRotary = true, .rotaryShare = 2},
    HfCode{.family = "seed_oss", .dropsResiduals = true},
    HfCode{.family = "granite",
           .scalesEmbedding = true,
           .scalesResiduals = true,
           .scalesLogits = true},
    HfCode{.family = "granitemoe",
           .scalesEmbedding = true,
           .scalesResiduals = true,
           .scalesLogits = true},
    HfCode{.family = "gpt_neox", .joinsRotary = true, .rotaryShare = 4},
    HfCode{.family = "opt", .scalesQueries = true, .opensByRelu = true, .dropsResiduals = true},
    HfCode{.family = "gemma", .norm = NormScale::OneAndWide, .scalesEmbedding = true},
    HfCode{.family = "gemma2",
           .norm = NormScale::OneAndWide,
           .scalesEmbedding = true,
           .capsLogits = true},
    HfCode{.family = "gemma3_text",
           .norm = NormScale::OneAndWide,
           .normsHeadsLast = true,
           .normsHeadsFirst = true,
           .scalesEmbedding = true},
    HfCode{.family = "deepseek_v2", .rotatesAsComplex = true},
    HfCode{.family = "llama4_text",
           .rotatesAsComplex = true,
           .rotatesInWindows = true,
           .namesAttention = true,
           .keepsMlpNames = true}};

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
    if (scenario.model.attention.kind == AttentionKind::Latent) {
        return scenario.model.attention.qkRopeDim;
    }
    const std::int64_t rotated = scenario.model.attention.headDim / code.rotaryShare;
    return code.rotatesHalves ? rotated / 2 : rotated;
}

std::string_view mlpTarget(const Scenario& scenario, std::string_view target) {
    const bool converted =
        runsTransformers(scenario) && scenario.model.moe && !hfCodeOf(scenario).keepsMlpNames;
    return converted ? "" : target;
}

}  // namespace fabricast
