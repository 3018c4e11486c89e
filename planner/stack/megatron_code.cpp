#include "planner/stack/packaged_models.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

/// megatron/bridge/models and recipes of 0.3.1, of what pretrain_gpt.py refuses.
struct BridgeFamily {
    std::string_view family;
    std::string_view recipes;
};
constexpr std::array kBridgeFamilies = {BridgeFamily{"gpt_oss", "megatron.bridge.recipes.gpt_oss"},
                                        BridgeFamily{"olmoe", "megatron.bridge.recipes.olmoe"}};

tl::unexpected<Error> lacksModel(const ModelSpec& model, const std::string& what) {
    const std::string_view recipes = bridgeRecipesOf(model);
    return fail(
        Error::Code::Unsupported,
        "model",
        "pretrain_gpt.py of Megatron-Core has no " + what + ", which " + model.name + " has",
        recipes.empty() ? "--stack fsdp2, accelerate or deepspeed, which run Hugging Face's code"
                        : "Megatron Bridge's own recipes with this layout (" +
                              std::string(recipes) + "), or --stack fsdp2 or accelerate");
}

}  // namespace

std::string_view bridgeRecipesOf(const ModelSpec& model) {
    const auto* const known =
        std::ranges::find(kBridgeFamilies, model.family, &BridgeFamily::family);
    return known == kBridgeFamilies.end() ? std::string_view() : known->recipes;
}

Result<void> checkMegatronCode(const ModelSpec& model) {
    if (model.parallelResidual) {
        return lacksModel(model, "parallel residual");
    }
    if (model.normPlacement != NormPlacement::Before) {
        return lacksModel(model, "norm after attention and MLP");
    }
    if (model.position == PositionKind::Alibi) {
        return lacksModel(model, "ALiBi");
    }
    if (model.embeddingNorm || model.embeddingWidth > 0) {
        return lacksModel(model, "norm or projection of the embedding");
    }
    if (model.norm == NormKind::LayerNoBias || model.norm == NormKind::LayerNoParameters) {
        return lacksModel(model, "LayerNorm without bias");
    }
    if (model.attention.qkNorm == QkNorm::FullWidth) {
        return lacksModel(model, "norm over all of a query");
    }
    if (model.moe && model.moe->expertBias) {
        return lacksModel(model, "experts with biases and a clamped activation");
    }
    if (std::ranges::adjacent_find(model.window, std::ranges::not_equal_to()) !=
        model.window.end()) {
        return lacksModel(model, "windows that differ between layers");
    }
    return {};
}

}  // namespace fabricast
