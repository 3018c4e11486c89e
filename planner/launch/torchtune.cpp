#include "planner/launch/torchtune.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// Of torchtune 0.6.1, torchtune/_recipe_registry.py.
constexpr std::array<std::string_view, 18> kRecipes = {
    "full_finetune_single_device",
    "full_finetune_distributed",
    "lora_finetune_single_device",
    "lora_finetune_distributed",
    "lora_dpo_single_device",
    "lora_dpo_distributed",
    "full_dpo_distributed",
    "ppo_full_finetune_single_device",
    "qat_distributed",
    "qat_lora_finetune_distributed",
    "knowledge_distillation_single_device",
    "knowledge_distillation_distributed",
    "generate",
    "eleuther_eval",
    "quantize",
    "dev/lora_finetune_distributed_multi_dataset",
    "dev/early_exit_finetune_distributed",
    "dev/generate_v2"};

bool isRecipe(const std::string& word) {
    return word.ends_with(".py") || std::ranges::find(kRecipes, word) != kRecipes.end();
}

/// Those whose configs are read. An own recipe may do anything.
constexpr std::array<std::string_view, 4> kReadRecipes = {"full_finetune_single_device",
                                                          "full_finetune_distributed",
                                                          "lora_finetune_single_device",
                                                          "lora_finetune_distributed"};

/// The items of "[a, b]"; another value is one.
std::vector<std::string> itemsOf(std::string_view value) {
    std::vector<std::string> items;
    if (!value.starts_with('[') || !value.ends_with(']')) {
        return {std::string(value)};
    }
    value = value.substr(1, value.size() - 2);
    while (!value.empty()) {
        const std::size_t comma = std::min(value.find(','), value.size());
        std::string item(value.substr(0, comma));
        std::erase_if(item, [](char one) { return one == ' ' || one == '\'' || one == '"'; });
        items.push_back(std::move(item));
        value.remove_prefix(std::min(comma + 1, value.size()));
    }
    return items;
}

/// What starts a recipe, and what is typed for that.
bool isAroundTune(std::string_view path) {
    return path.starts_with("torchrun ") || path.starts_with("sbatch ") ||
           path.starts_with("srun ") || path.starts_with("env ");
}

/// A config without a key, or without a section and all that is in it. One that says null is none
/// already.
LaunchKeys withoutKey(const LaunchKeys& config, const std::string& path) {
    LaunchKeys kept(config.source());
    for (const LaunchKey& key : config.all()) {
        if (key.path != path && !key.path.starts_with(path + ".")) {
            kept.add(key);
        }
    }
    return kept;
}

constexpr const char* kComponent = "._component_";  ///< which class or function a section calls

/// A recipe takes --config and no other argument: torchtune/config/_parse.py.
Result<void> checkFlags(const LaunchKeys& script) {
    for (const LaunchKey& key : script.all()) {
        if (key.path.starts_with("--") && key.path != "--config") {
            return script.refuse(
                key,
                "is refused by torchtune, whose recipes take keys without dashes",
                key.path.substr(2) + "=" + (key.values.empty() ? "VALUE" : key.values.front()));
        }
    }
    return {};
}

/// "seed=1" is a key and one value: torchtune/config/_utils.py.
Result<void> checkTyped(const LaunchKeys& config, const LaunchKeys& script, const LaunchKey& key) {
    const bool isRemoved = key.path.starts_with('~');
    if (isRemoved && config.has(key.path.substr(1) + kComponent)) {
        return script.refuse(key,
                             "is a component, which torchtune removes from no config",
                             "take it out of " + config.source());
    }
    const bool isOne = !key.values.empty() && key.values.front().find('=') == std::string::npos;
    return isRemoved || isOne
               ? Result<void>()
               : Result<void>(
                     script.refuse(key, "is no key and value", "batch_size=2, or ~clip_grad_norm"));
}

/// What --config names that is no file. torchtune's own have a folder: llama3_1/8B_full.
std::string unreadConfig(const LaunchKeys& keys) {
    const LaunchKey* const key = keys.find("--config");
    const std::string name = key == nullptr || key->values.empty() ? "" : key->values.front();
    return name.ends_with(".yaml") || name.ends_with(".yml") ? "" : name;
}

}  // namespace

std::size_t tuneRecipe(const ShellCommand& command) {
    const auto isTune = [](const ShellWord& word) {
        return word.text == "tune" || word.text.ends_with("/tune");
    };
    const auto tune = std::ranges::find_if(command, isTune);
    const auto at = static_cast<std::size_t>(tune - command.begin());
    if (at + 1 >= command.size() || command[at + 1].text != "run") {
        return command.size();
    }
    std::size_t last = command.size();  // where no recipe is known: what stands before its config
    for (std::size_t i = at + 2; i < command.size(); ++i) {
        if (isRecipe(command[i].text)) {
            return i;
        }
        if (command[i].text == "--config" && last == command.size()) {
            last = i - 1;
        }
    }
    return last == command.size() ? at + 1 : last;
}

bool isTuneYaml(const LaunchKeys& yaml) {
    return yaml.has("model._component_") && yaml.has("checkpointer._component_");
}

Result<void> checkTuneRecipe(const LaunchKeys& keys) {
    const LaunchKey* const key = keys.find(kTuneKey);
    const std::string recipe = key == nullptr || key->values.empty() ? "" : key->values.front();
    const auto launcher = std::ranges::find_if(
        keys.all(), [](const LaunchKey& one) { return one.path.starts_with("torchrun --"); });
    if (recipe.ends_with("_single_device") && launcher != keys.all().end()) {
        return keys.refuse(*launcher,
                           "is refused by tune run: " + recipe + " is not distributed",
                           "leave it out, or name the recipe that ends with _distributed");
    }
    if (key == nullptr || std::ranges::find(kReadRecipes, recipe) != kReadRecipes.end()) {
        return {};
    }
    return fail(Error::Code::BadInput,
                keys.where(*key),
                isRecipe(recipe) ? "tune run " + recipe + " is not modelled"
                                 : "\"" + recipe + "\" is no recipe of torchtune 0.6",
                isRecipe(recipe) ? "full_finetune_ or lora_finetune_ distributed or single_device"
                                 : "tune ls lists them");
}

bool namesTunesOwnConfig(const LaunchKeys& keys) {
    return keys.has(kTuneKey) && unreadConfig(keys).find('/') != std::string::npos;
}

Result<void> checkTuneConfig(const LaunchKeys& keys) {
    const LaunchKey* const key = keys.find("--config");
    const std::string name = unreadConfig(keys);
    if (!keys.has(kTuneKey) || name.empty()) {
        return {};
    }
    if (!namesTunesOwnConfig(keys)) {
        return keys.refuse(*key,
                           name + " is no file, and no config of torchtune",
                           "tune ls lists its own: llama3_1/8B_full; a file ends with .yaml");
    }
    const std::string own = name.substr(name.rfind('/') + 1) + ".yaml";
    return keys.refuse(*key,
                       name + " is a config that torchtune has itself",
                       "tune cp " + name + " " + own + ", and --config " + own);
}

Result<LaunchKeys> tunedConfig(const LaunchKeys& config, const LaunchKeys& script) {
    FABRICAST_TRY(checkFlags(script));
    LaunchKeys keys = config;
    LaunchKeys typed(script.source());
    for (LaunchKey key : script.all()) {
        if (!key.path.starts_with(kTunedKey)) {
            if (key.path == kTuneKey || isAroundTune(key.path)) {
                typed.add(std::move(key));
            }
            continue;
        }
        key.path.erase(0, kTunedKey.size());
        FABRICAST_TRY(checkTyped(keys, script, key));
        if (key.path.starts_with('~')) {
            keys = withoutKey(keys, key.path.substr(1));
            continue;
        }
        // Only of sections at the top: torchtune/config/_utils.py, _merge_yaml_and_cli_args.
        const bool isTop = key.path.find('.') == std::string::npos;
        key.path += isTop && keys.has(key.path + kComponent) ? kComponent : "";
        key.values = key.values.front() == "None" ? std::vector<std::string>{"null"}
                                                  : itemsOf(key.values.front());
        typed.add(std::move(key));
    }
    keys.append(typed, {""});
    return keys;
}

}  // namespace fabricast
