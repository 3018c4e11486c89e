#include "planner/launch/liger_kernels.h"

#include "planner/launch/import_trainers.h"
#include "planner/launch/launch_keys.h"
#include "planner/spec/liger_code.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

constexpr std::string_view kLigerCall = "apply_liger_kernel_to_";
constexpr const char* kFusedLossName = "fused_linear_cross_entropy";

/// What its function has for the activation.
std::string activationKernel(const ModelSpec& model) {
    return model.family.starts_with("gemma") ? "geglu" : "swiglu";
}

/// A kernel as an argument of Liger's function, and whether the scenario has it.
struct LigerArgument {
    std::string name;
    bool isAsked = false;
    bool isThere = true;  ///< Liger has one for the family

    [[nodiscard]] bool isOn() const { return isAsked && isThere; }
};

std::vector<LigerArgument> ligerArguments(const Scenario& scenario) {
    const KernelSettings& kernels = scenario.settings.kernels;
    const LigerCode* const code = ligerCodeOf(scenario.model);
    const bool rotates = code != nullptr && code->rotates;
    const bool activates = code != nullptr && code->activates;
    return {{"rope", kernels.rope == RopeKernel::Liger, rotates},
            {"rms_norm", kernels.norm == NormKernel::Liger},
            {activationKernel(scenario.model),
             kernels.activation == ActivationKernel::Liger,
             activates},
            {kFusedLossName, kernels.loss == LossKernel::Liger}};
}

/// transformers reads no file here.
Result<std::string> noLigerFile(const std::string& name) {
    return fail(Error::Code::BadInput,
                name,
                "is no dictionary, which liger_kernel_config is",
                "{\"fused_linear_cross_entropy\": true}");
}

/// The kernels that `keys` turn on, each of them by default where it has none; "before." stands
/// before their names.
Result<void> setLigerKernels(ScenarioDraft& draft,
                             LaunchKeys& keys,
                             const std::string& before,
                             const std::string& from) {
    struct Kernel {
        const char* setting;
        std::vector<const char*> names;
    };
    for (const Kernel& kernel : {Kernel{"loss", {kFusedLossName}},
                                 Kernel{"norm", {"rms_norm"}},
                                 Kernel{"rope", {"rope"}},
                                 Kernel{"activation", {"swiglu", "geglu"}}}) {
        bool isOn = true;
        for (const char* const name : kernel.names) {
            FABRICAST_ASSIGN(const auto said, keys.flag(before + name));
            isOn = isOn && said.value_or(true);
        }
        if (isOn) {
            draft.set(std::string("settings.kernels.") + kernel.setting, "liger", from);
        }
    }
    FABRICAST_ASSIGN(const auto entropy, keys.flag(before + "cross_entropy"));
    if (entropy.value_or(false)) {
        draft.note(from + ": Liger's cross_entropy, which is given whole logits, is not modelled");
    }
    return {};
}

}  // namespace

std::string ligerConfig(const Scenario& scenario) {
    std::string off;
    for (const LigerArgument& one : ligerArguments(scenario)) {
        if (!one.isAsked && one.isThere) {
            off += (off.empty() ? "{" : ", ") + quotedText(one.name) + ": False";
        }
    }
    return off.empty() ? "" : off + "}";
}

std::string ligerFunction(const ModelSpec& model) {
    return std::string(kLigerCall) + model.family;
}

std::string ligerCall(const Scenario& scenario) {
    std::string arguments = "cross_entropy=False";
    for (const LigerArgument& one : ligerArguments(scenario)) {
        arguments += ", " + one.name + (one.isOn() ? "=True" : "=False");
    }
    return ligerFunction(scenario.model) + "(" + arguments + ")";
}

void addLigerArguments(const Scenario& scenario, LaunchFiles& files) {
    if (!usesLiger(scenario.settings.kernels)) {
        return;
    }
    files.command.emplace_back("--use_liger_kernel");
    const std::string config = ligerConfig(scenario);
    files.untold.push_back("liger: train.py takes --use_liger_kernel, as TrainingArguments does" +
                           (config.empty() ? ""
                                           : "; with liger_kernel_config=" + config +
                                                 " it has the kernels that the forecast has"));
}

void addLigerKeys(const Scenario& scenario, const std::function<void(const std::string&)>& turnOn) {
    for (const LigerArgument& one : ligerArguments(scenario)) {
        if (one.isOn()) {
            const bool isActivation = one.name == activationKernel(scenario.model);
            turnOn("liger_" + (isActivation ? "glu_activation" : one.name));
        }
    }
}

void eraseLigerSettings(std::vector<std::string>& untold) {
    for (const char* const name : {"loss", "norm", "rope", "activation"}) {
        std::erase(untold, std::string("settings.kernels.") + name + "=liger");
    }
}

Result<void> importLigerArguments(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    constexpr const char* kUse = "--use_liger_kernel";
    constexpr const char* kConfig = "--liger_kernel_config";
    FABRICAST_ASSIGN(const auto used, keys.flag(kUse));
    if (!used.value_or(false)) {
        return {};
    }
    LaunchKeys chosen(keys.source());
    if (keys.text(kConfig)) {
        const ImportContext noFiles{.read = &noLigerFile, .layers = {}};
        FABRICAST_ASSIGN(chosen, configOf(keys, kConfig, noFiles));
    }
    return setLigerKernels(draft, chosen, "", kUse);
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
    return setLigerKernels(draft, keys, name + ".", name);
}

/// Off by default, each of them. No family that is forecast has a layer_norm to replace.
Result<void> importAxolotlLiger(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    static constexpr std::array kKeys = {
        std::pair{"liger_fused_linear_cross_entropy", "settings.kernels.loss"},
        std::pair{"liger_rms_norm", "settings.kernels.norm"},
        std::pair{"liger_rope", "settings.kernels.rope"},
        std::pair{"liger_glu_activation", "settings.kernels.activation"},
        std::pair{"liger_swiglu", "settings.kernels.activation"}};  // its name in older files
    for (const auto& [key, setting] : kKeys) {
        FABRICAST_ASSIGN(const auto said, keys.flag(key));
        if (said.value_or(false)) {
            draft.set(setting, "liger", key);
        }
    }
    FABRICAST_ASSIGN([[maybe_unused]] const auto layers, keys.flag("liger_layer_norm"));
    FABRICAST_ASSIGN(const auto entropy, keys.flag("liger_cross_entropy"));
    if (entropy.value_or(false)) {
        draft.note("liger_cross_entropy: it is given whole logits, and is not modelled");
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
    constexpr const char* kCut = "cut_cross_entropy";
    constexpr const char* kChunked = "chunked_cross_entropy";
    FABRICAST_ASSIGN(const auto cut, keys.flag(kCut));
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
    return importAxolotlLiger(draft);
}

}  // namespace fabricast
