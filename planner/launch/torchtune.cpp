#include "planner/launch/torchtune.h"

#include <algorithm>
#include <array>
#include <string_view>

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

/// What is asked instead: a run of the same kind that is modelled.
std::string nearestQuestion(const std::string& recipe) {
    const bool adapts = recipe.find("lora") != std::string::npos;
    return std::string("fabricast explain -m MODEL --stack fsdp2") +
           (adapts ? " --tuning lora" : " --precision pure_bf16") +
           " --layout recompute=full: FSDP2 with transformers' model code";
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

tl::unexpected<Error> refuseTune(const LaunchKeys& keys, const LaunchKey& key) {
    const std::string recipe = key.values.empty() ? "" : key.values.front();
    if (!recipe.empty() && !isRecipe(recipe)) {
        return fail(Error::Code::BadInput,
                    keys.where(key),
                    "\"" + recipe + "\" is no recipe of torchtune 0.6",
                    "tune ls lists them");
    }
    return fail(
        Error::Code::BadInput,
        keys.where(key),
        (recipe.empty() ? "torchtune's configs are" : "tune run " + recipe + " is") +
            " not modelled: torchtune has model code and a chunked cross entropy of its own",
        nearestQuestion(recipe));
}

}  // namespace fabricast
