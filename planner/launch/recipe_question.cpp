#include "planner/launch/recipe_question.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace fabricast {
namespace {

/// How calls end that make a whole run.
constexpr std::array<std::string_view, 6> kRecipeCalls = {"pretrain_recipe",
                                                          "finetune_recipe",
                                                          "pretrain_config",
                                                          "finetune_config",
                                                          "sft_config",
                                                          "peft_config"};

/// How names of models begin in recipes, longest first, and what they are here.
struct FamilyName {
    std::string_view recipe;
    std::string_view model;
};
constexpr std::array kFamilies = {FamilyName{"llama31_", "llama-3.1-"},
                                  FamilyName{"llama32_", "llama-3.2-"},
                                  FamilyName{"llama33_", "llama-3.3-"},
                                  FamilyName{"llama3_", "llama-3-"},
                                  FamilyName{"llama2_", "llama-2-"},
                                  FamilyName{"qwen25_", "qwen2.5-"},
                                  FamilyName{"gemma3_", "gemma-3-"},
                                  FamilyName{"gemma2_", "gemma-2-"},
                                  FamilyName{"gpt3_", "gpt3-"},
                                  FamilyName{"glm45_", "glm-4.5-"}};

/// A layout key, and what a recipe's object calls it.
struct SizeName {
    std::string_view field;
    std::string_view key;
};
constexpr std::array kLayoutFields = {SizeName{"tensor_model_parallel_size", "tp"},
                                      SizeName{"pipeline_model_parallel_size", "pp"},
                                      SizeName{"virtual_pipeline_model_parallel_size", "vpp"},
                                      SizeName{"context_parallel_size", "cp"},
                                      SizeName{"expert_model_parallel_size", "ep"},
                                      SizeName{"expert_tensor_parallel_size", "etp"},
                                      SizeName{"micro_batch_size", "micro_batch"}};

/// The last number that a field, or an argument of the recipe's call, is given; empty where none.
std::string numberOf(const LaunchKeys& program, const LaunchKey& recipe, std::string_view field) {
    std::string number;
    const std::string argument = recipe.path + "." + std::string(field);
    for (const LaunchKey& key : program.all()) {
        const bool isOne = (key.path == field || key.path == argument) && key.values.size() == 1 &&
                           !key.values.front().empty() &&
                           key.values.front().find_first_not_of("0123456789") == std::string::npos;
        number = isOne ? key.values.front() : number;
    }
    return number;
}

/// The name under which a recipe is imported stands for its own.
std::string importedName(const LaunchKeys& program, const std::string& name) {
    for (const LaunchKey& key : program.all()) {
        if (key.path == "import" && key.values.size() == 2 && key.values.back() == name) {
            return key.values.front();
        }
    }
    return name;
}

/// "llama3_70b" of "llm.llama3_70b.pretrain_recipe" and of "llama3_70b_pretrain_config"; empty
/// where neither names a model.
std::string recipeModel(const LaunchKeys& program, const LaunchKey& recipe) {
    std::string whole = recipe.values.front();
    const std::size_t dot = whole.find('.');
    const std::string first = whole.substr(0, dot);
    whole = importedName(program, first) + (dot == std::string::npos ? "" : whole.substr(dot));
    for (const std::string_view call : kRecipeCalls) {
        if (!whole.ends_with(call) || whole.size() <= call.size()) {
            continue;
        }
        const std::string before = whole.substr(0, whole.size() - call.size() - 1);
        const std::string name = before.substr(before.rfind('.') + 1);
        return name == "llm" || name == "recipes" ? "" : name;
    }
    return "";
}

std::string modelName(std::string name) {
    const auto* const family = std::ranges::find_if(
        kFamilies, [&name](const FamilyName& one) { return name.starts_with(one.recipe); });
    if (family != kFamilies.end()) {
        name.replace(0, family->recipe.size(), family->model);
    }
    std::ranges::replace(name, '_', '-');
    return name;
}

bool computesFp8(const LaunchKeys& program) {
    return std::ranges::any_of(program.all(), [](const LaunchKey& key) {
        const bool isPrecision = key.path == "mixed_precision" || key.path == "plugins";
        return isPrecision && std::ranges::any_of(key.values, [](const std::string& value) {
                   return value.find("fp8") != std::string::npos;
               });
    });
}

}  // namespace

const LaunchKey* recipeOf(const LaunchKeys& program) {
    const auto isRecipe = [&program](const LaunchKey& key) {
        const bool isCall = key.path.find('.') == std::string::npos && key.values.size() == 1 &&
                            key.values.front().ends_with(key.path);
        const std::string name = isCall ? importedName(program, key.path) : "";
        return std::ranges::any_of(kRecipeCalls, [&name](std::string_view call) {
            return name == call || name.ends_with("_" + std::string(call));
        });
    };
    const auto found = std::ranges::find_if(program.all(), isRecipe);
    return found == program.all().end() ? nullptr : &*found;
}

std::string questionOfRecipe(const LaunchKeys& program, const LaunchKey& recipe) {
    const std::string name = recipeModel(program, recipe);
    std::string text =
        "fabricast plan -m " + (name.empty() ? "llama-3.1-8b" : modelName(name)) + " --stack nemo";
    if (recipe.path.find("peft") != std::string::npos) {
        text += " --tuning lora";
    }
    const std::string nodes = numberOf(program, recipe, "num_nodes");
    text += " -c dgx-h100" + (nodes.empty() ? "" : " -n " + nodes);
    std::string layout;
    for (const SizeName& one : kLayoutFields) {
        if (const std::string number = numberOf(program, recipe, one.field); !number.empty()) {
            layout += (layout.empty() ? "" : ",") + std::string(one.key) + "=" + number;
        }
    }
    text += layout.empty() ? "" : " --fix " + layout;
    std::string sequence = numberOf(program, recipe, "seq_length");
    sequence = sequence.empty() ? numberOf(program, recipe, "sequence_length") : sequence;
    text += sequence.empty() ? "" : " --seq " + sequence;
    const std::string batch = numberOf(program, recipe, "global_batch_size");
    text += batch.empty() ? "" : " --global-batch " + batch;
    return text + (computesFp8(program) ? " --precision fp8" : "");
}

}  // namespace fabricast
