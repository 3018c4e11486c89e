#include "planner/spec/check_fused_loss.h"

#include "planner/spec/setting_names.h"
#include "planner/spec/split_axis.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {

namespace {

constexpr const char* kLossKey = "settings.kernels.loss";
constexpr const char* kOtherLoss = "settings.kernels.loss=huggingface";

Result<void> withoutLiger(std::string where, std::string why, std::string hint) {
    return fail(Error::Code::Unsupported, std::move(where), std::move(why), std::move(hint));
}

/// Dense models of transformers whose forward liger_kernel 0.8.5 replaces by one with its loss
/// (MODEL_TYPE_TO_APPLY_LIGER_FN).
bool hasLigerForward(std::string_view family) {
    constexpr std::array<std::string_view, 10> kFamilies = {"llama",
                                                            "mistral",
                                                            "qwen2",
                                                            "qwen3",
                                                            "gemma",
                                                            "gemma2",
                                                            "gemma3_text",
                                                            "phi3",
                                                            "olmo2",
                                                            "glm4"};
    return std::ranges::find(kFamilies, family) != kFamilies.end();
}

Result<void> checkLigerModel(const ModelSpec& model) {
    const std::string with = "the fused loss of Liger is not modelled ";
    if (model.moe) {
        return withoutLiger(kLossKey, with + "of a model with experts", kOtherLoss);
    }
    if (!hasLigerForward(model.family)) {
        return withoutLiger(kLossKey,
                            "Liger has no fused loss for transformers' \"" + model.family + "\"",
                            kOtherLoss);
    }
    return {};
}

Result<void> checkLigerLayout(const Layout& layout) {
    const std::string with = "the fused loss of Liger is not modelled ";
    if (const auto axis = splitAxis(layout)) {
        return withoutLiger(
            "layout." + *axis, with + "with " + *axis, *axis + "=1, or " + kOtherLoss);
    }
    if (layout.offload == Offload::Activations) {
        return withoutLiger("layout.offload",
                            with + "beside activations on the host",
                            std::string("offload=none, or ") + kOtherLoss);
    }
    return {};
}

}  // namespace

Result<void> checkFusedLoss(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    if (settings.kernels.loss != LossKernel::Liger) {
        return {};
    }
    if (settings.kernels.code != ModelCode::HuggingFace) {
        return withoutLiger(kLossKey,
                            "liger is a loss of transformers' models, not of " +
                                std::string(nameOf(settings.kernels.code)) + "'s",
                            "--stack ddp, fsdp2, deepspeed, accelerate or axolotl");
    }
    if (settings.reference != Reference::None) {
        return withoutLiger(kLossKey,
                            "the fused loss of Liger is not modelled beside a reference model",
                            std::string("settings.reference=none, or ") + kOtherLoss);
    }
    FABRICAST_TRY(checkLigerModel(scenario.model));
    return checkLigerLayout(scenario.layout);
}

}  // namespace fabricast
