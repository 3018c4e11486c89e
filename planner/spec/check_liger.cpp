#include "planner/spec/check_settings.h"
#include "planner/spec/liger_code.h"
#include "planner/spec/setting_names.h"
#include "planner/spec/stage_split.h"

#include <string>
#include <utility>
#include <vector>

namespace fabricast {

namespace {

/// A setting that asks for one of Liger's kernels, and the value that transformers' own code has.
struct LigerUse {
    std::string key;
    std::string kernel;  ///< "the fused loss of Liger"
    std::string other;
};

std::vector<LigerUse> usesOf(const KernelSettings& kernels) {
    std::vector<LigerUse> uses;
    const auto add = [&](bool isLiger, const char* name, const char* kernel, const char* other) {
        if (isLiger) {
            const std::string key = std::string("settings.kernels.") + name;
            uses.push_back({key, std::string(kernel) + " of Liger", key + "=" + other});
        }
    };
    add(kernels.loss == LossKernel::Liger, "loss", "the fused loss", "huggingface");
    add(kernels.norm == NormKernel::Liger, "norm", "the norm", "fp32");
    add(kernels.rope == RopeKernel::Liger, "rope", "the rotary embedding", "cos_sin");
    add(kernels.activation == ActivationKernel::Liger, "activation", "the activation", "eager");
    return uses;
}

Result<void> without(std::string where, std::string why, std::string hint) {
    return fail(Error::Code::Unsupported, std::move(where), std::move(why), std::move(hint));
}

Result<void> checkModel(const LigerUse& use, const ModelSpec& model) {
    const LigerCode* const code = ligerCodeOf(model);
    const std::string ofFamily = " for transformers' \"" + model.family + "\"";
    if (code == nullptr && isLigerFamily(model)) {
        return without(use.key, use.kernel + " is not modelled" + ofFamily, use.other);
    }
    if (code == nullptr) {
        const std::string what = use.kernel.substr(4, use.kernel.rfind(" of ") - 4);
        return without(use.key, "Liger has no " + what + ofFamily, use.other);
    }
    if (model.moe && code->activates && use.key.ends_with(".activation")) {
        return without(use.key,
                       use.kernel +
                           " is not modelled of experts, whose products are its kernels "
                           "too",
                       use.other);
    }
    return {};
}

/// Norms, positions and activations are of the rows and heads that a rank has. The loss reads the
/// whole head, for the rows that a rank has of a sequence: labels are shifted before it is cut
/// (shift_labels).
Result<void> checkLayout(const LigerUse& use, const Layout& layout) {
    const std::string with = use.kernel + " is not modelled ";
    Layout whole = layout;
    whole.cp = 1;
    const auto axis = splitAxis(whole);
    if (axis && use.key.ends_with(".loss")) {
        return without("layout." + *axis, with + "with " + *axis, *axis + "=1, or " + use.other);
    }
    if (layout.offload == Offload::Activations) {
        return without("layout.offload",
                       with + "beside activations on the host",
                       "offload=none, or " + use.other);
    }
    return {};
}

Result<void> checkCode(const LigerUse& use, const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    if (settings.kernels.code != ModelCode::HuggingFace) {
        const std::string kind = use.key.ends_with(".loss") ? "loss" : "kernel";
        return without(use.key,
                       "liger is a " + kind + " of transformers' models, not of " +
                           std::string(nameOf(settings.kernels.code)) + "'s",
                       "--stack ddp, fsdp2, deepspeed, accelerate or axolotl");
    }
    return checkModel(use, scenario.model);
}

Result<void> checkUse(const LigerUse& use, const Scenario& scenario) {
    FABRICAST_TRY(checkCode(use, scenario));
    if (scenario.settings.reference != Reference::None) {
        return without(use.key,
                       use.kernel + " is not modelled beside a reference model",
                       "settings.reference=none, or " + use.other);
    }
    return checkLayout(use, scenario.layout);
}

}  // namespace

Result<void> checkLiger(const Scenario& scenario) {
    for (const LigerUse& use : usesOf(scenario.settings.kernels)) {
        FABRICAST_TRY(checkUse(use, scenario));
    }
    return {};
}

Result<void> checkLigerCode(const Scenario& scenario) {
    for (const LigerUse& use : usesOf(scenario.settings.kernels)) {
        FABRICAST_TRY(checkCode(use, scenario));
    }
    return {};
}

}  // namespace fabricast
