#include "planner/stack/model_code.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

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

/// One switch gives biases to all linear layers, routers among them.
bool hasAllBiases(const ModelSpec& model) {
    return model.attention.qkvBias && model.attention.outBias && model.moe->expertBias &&
           model.moe->routerBias;
}

/// Some layers may see everything; the others have windows of one size.
bool isOneWindow(const std::vector<std::int64_t>& windows) {
    const auto first = std::ranges::find_if(windows, [](std::int64_t one) { return one > 0; });
    return first == windows.end() || std::ranges::all_of(windows, [&](std::int64_t one) {
               return one == 0 || one == *first;
           });
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
    if (model.moe && (model.moe->expertBias || model.moe->routerBias) && !hasAllBiases(model)) {
        return lacksModel(model, "experts with biases beside layers without");
    }
    if (model.headBias) {
        return lacksModel(model, "bias of the output layer");
    }
    if (model.family == "granite" || model.family == "granitemoe") {
        return lacksModel(model, "multiplier of residuals, embedding and logits");
    }
    if (model.family == "llama4_text") {
        return lacksModel(model, "attention within chunks");
    }
    if (!isOneWindow(model.window)) {
        return lacksModel(model, "windows of several sizes");
    }
    return {};
}

}  // namespace fabricast
