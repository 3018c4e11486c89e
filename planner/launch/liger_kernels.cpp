#include "planner/launch/liger_kernels.h"

#include "planner/launch/config_argument.h"
#include "planner/launch/launch_keys.h"

#include <algorithm>
#include <string_view>

namespace fabricast {
namespace {

constexpr std::string_view kLigerCall = "apply_liger_kernel_to_";
constexpr const char* kLigerLossKey = "settings.kernels.loss";
constexpr const char* kFusedLossName = "fused_linear_cross_entropy";

/// What its function has for the activation.
std::string activationKernel(const ModelSpec& model) {
    return model.family.starts_with("gemma") ? "geglu" : "swiglu";
}

/// transformers reads no file here.
Result<std::string> noLigerFile(const std::string& name) {
    return fail(Error::Code::BadInput,
                name,
                "is no dictionary, which liger_kernel_config is",
                "{\"fused_linear_cross_entropy\": true}");
}

void noteOtherKernels(ScenarioDraft& draft, const std::string& from) {
    draft.note(from +
               ": of Liger's kernels the fused loss is forecast, not its norms, rotary "
               "embedding and activation");
}

}  // namespace

std::string ligerFunction(const ModelSpec& model) {
    return std::string(kLigerCall) + model.family;
}

std::string ligerCall(const ModelSpec& model) {
    return ligerFunction(model) + "(rope=False, rms_norm=False, " + activationKernel(model) +
           "=False, cross_entropy=False, fused_linear_cross_entropy=True)";
}

void addLigerArguments(const Scenario& scenario, LaunchFiles& files) {
    if (scenario.settings.kernels.loss != LossKernel::Liger) {
        return;
    }
    files.command.emplace_back("--use_liger_kernel");
    files.untold.push_back(
        "liger: train.py takes --use_liger_kernel, as TrainingArguments does; "
        "with liger_kernel_config={\"rope\": False, \"rms_norm\": False, \"" +
        activationKernel(scenario.model) +
        "\": False} it has the fused loss alone, as the forecast does");
}

Result<void> importLigerArguments(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    constexpr const char* kUse = "--use_liger_kernel";
    constexpr const char* kConfig = "--liger_kernel_config";
    FABRICAST_ASSIGN(const auto used, keys.flag(kUse));
    if (!used.value_or(false)) {
        return {};
    }
    bool fused = true;
    bool others = true;
    if (keys.text(kConfig)) {
        const ImportContext noFiles{.read = &noLigerFile, .layers = {}};
        FABRICAST_ASSIGN(LaunchKeys chosen, configOf(keys, kConfig, noFiles));
        FABRICAST_ASSIGN(const auto loss, chosen.flag(kFusedLossName));
        FABRICAST_ASSIGN(const auto norms, chosen.flag("rms_norm"));
        fused = loss.value_or(true);
        others = norms.value_or(true);
    }
    if (fused) {
        draft.set(kLigerLossKey, "liger", kUse);
    }
    if (others) {
        noteOtherKernels(draft, kUse);
    }
    return {};
}

Result<void> importLigerCall(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const auto call = std::ranges::find_if(keys.all(), [](const LaunchKey& key) {
        return key.path.starts_with(kLigerCall) && key.path.find('.') == std::string::npos;
    });
    if (call == keys.all().end()) {
        return {};
    }
    const std::string name = call->path;
    FABRICAST_ASSIGN(const auto fused, keys.flag(name + "." + kFusedLossName));
    FABRICAST_ASSIGN(const auto norms, keys.flag(name + ".rms_norm"));
    if (fused.value_or(true)) {
        draft.set(kLigerLossKey, "liger", name);
    }
    if (norms.value_or(true)) {
        noteOtherKernels(draft, name);
    }
    return {};
}

Result<void> importAxolotlLoss(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const LaunchKey* const plugins = keys.use("plugins");
    const bool namesCut =
        plugins != nullptr && std::ranges::any_of(plugins->values, [](const std::string& one) {
            return one.find("CutCrossEntropy") != std::string::npos;
        });
    constexpr const char* kLiger = "liger_fused_linear_cross_entropy";
    constexpr const char* kCut = "cut_cross_entropy";
    constexpr const char* kChunked = "chunked_cross_entropy";
    FABRICAST_ASSIGN(const auto cut, keys.flag(kCut));
    FABRICAST_ASSIGN(const auto liger, keys.flag(kLiger));
    FABRICAST_ASSIGN(const auto chunked, keys.flag(kChunked));
    const std::string instead = "leave it out, or liger_fused_linear_cross_entropy: true";
    if (cut.value_or(namesCut)) {
        return keys.refuse(*keys.use(cut ? kCut : "plugins"),
                           "is not modelled: its kernels make no logits",
                           instead);
    }
    if (chunked.value_or(false)) {
        return keys.refuse(
            *keys.use(kChunked), "is not modelled: whole logits in bf16, cast in parts", instead);
    }
    if (liger.value_or(false)) {
        draft.set(kLigerLossKey, "liger", kLiger);
    }
    return {};
}

}  // namespace fabricast
