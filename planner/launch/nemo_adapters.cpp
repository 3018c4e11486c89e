#include "planner/launch/nemo.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr const char* kScheme = "model.peft.peft_scheme";
constexpr const char* kTuning = "model.peft.lora_tuning.";

/// A word of NeMo 1's target_modules, and a layer that it adapts.
struct NemoTarget {
    std::string_view typed;
    std::string_view layer;
};
constexpr std::array kNemoTargets = {NemoTarget{"attention_qkv", "linear_qkv"},
                                     NemoTarget{"attention_dense", "linear_proj"},
                                     NemoTarget{"mlp_fc1", "linear_fc1"},
                                     NemoTarget{"mlp_fc2", "linear_fc2"},
                                     NemoTarget{"attention", "linear_qkv"},
                                     NemoTarget{"attention", "linear_proj"},
                                     NemoTarget{"mlp", "linear_fc1"},
                                     NemoTarget{"mlp", "linear_fc2"},
                                     NemoTarget{"all", "linear_qkv"},
                                     NemoTarget{"all", "linear_proj"},
                                     NemoTarget{"all", "linear_fc1"},
                                     NemoTarget{"all", "linear_fc2"}};

std::string oneValueOf(const LaunchKey* key) {
    return key == nullptr || key->values.size() != 1 ? "" : key->values.front();
}

bool isLeftOut(const LaunchKey* key) {
    constexpr std::array<std::string_view, 6> kNone = {
        "", "null", "none", "None", "false", "False"};
    const bool isList = key != nullptr && key->values.size() > 1;
    return !isList && std::ranges::find(kNone, oneValueOf(key)) != kNone.end();
}

Result<std::vector<std::string>> layersOf(const LaunchKeys& yaml, const LaunchKey& modules) {
    std::vector<std::string> layers;
    for (const std::string& module : modules.values) {
        if (std::ranges::find(kNemoTargets, module, &NemoTarget::typed) == kNemoTargets.end()) {
            return yaml.refuse(modules,
                               "\"" + module + "\" is not modelled",
                               "attention_qkv, attention_dense, mlp_fc1, mlp_fc2, attention, mlp "
                               "or all");
        }
        for (const NemoTarget& target : kNemoTargets) {
            if (target.typed == module && std::ranges::find(layers, target.layer) == layers.end()) {
                layers.emplace_back(target.layer);
            }
        }
    }
    return layers;
}

}  // namespace

Result<void> addNemoAdapters(const LaunchKeys& yaml, LaunchKeys& keys) {
    const LaunchKey* const scheme = yaml.find(kScheme);
    if (isLeftOut(scheme)) {
        return {};
    }
    if (oneValueOf(scheme) != "lora") {
        const bool isQuantized = oneValueOf(scheme) == "qlora";
        return yaml.refuse(*scheme,
                           isQuantized ? "qlora is not modelled: NeMo's base is forecast in 16 bits"
                                       : "is not modelled",
                           isQuantized ? "lora; --stack axolotl --tuning qlora asks for 4 bits"
                                       : "lora, or null: all weights are trained");
    }
    const std::string tuning(kTuning);
    for (const char* const name : {"layer_selection", "weight_tying"}) {
        const LaunchKey* const key = yaml.find(tuning + name);
        if (!isLeftOut(key)) {
            return yaml.refuse(*key, "is not modelled", "adapters of every layer: leave it out");
        }
    }
    LaunchKey modules = *scheme;
    modules.values = {"attention_qkv"};
    if (const LaunchKey* const key = yaml.find(tuning + "target_modules")) {
        modules = *key;
    }
    FABRICAST_ASSIGN(modules.values, layersOf(yaml, modules));
    modules.path = "peft.target_modules";
    keys.add(std::move(modules));
    for (const auto& [path, ours] : {std::pair{kScheme, "peft"},
                                     {"model.peft.lora_tuning.adapter_dim", "peft.dim"},
                                     {"model.peft.lora_tuning.adapter_dropout", "peft.dropout"}}) {
        if (const LaunchKey* const key = yaml.find(path)) {
            LaunchKey copy = *key;
            copy.path = ours;
            keys.add(std::move(copy));
        }
    }
    return {};
}

}  // namespace fabricast
