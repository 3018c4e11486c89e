#include "planner/stack/model_code.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

/// What Megatron runs: the arguments of pretrain_gpt.py, or a provider of Megatron Bridge.
Result<void> checkMegatronPackages(const ModelSpec& model) {
    return bridgeRecipesOf(model).empty() ? checkMegatronCode(model) : Result<void>();
}

/// Others run transformers' own models.
struct ModelCodeRule {
    std::string_view stack;
    Result<void> (*check)(const ModelSpec& model);
};
constexpr std::array kModelCodeRules = {ModelCodeRule{"torchtitan", &checkTitanCode},
                                        ModelCodeRule{"megatron", &checkMegatronPackages},
                                        ModelCodeRule{"megatron-fsdp", &checkMegatronPackages},
                                        ModelCodeRule{"nemo", &checkMegatronPackages}};

/// Nothing of a stack that runs transformers' own models.
const ModelCodeRule* ruleOf(std::string_view stack) {
    const auto* const rule = std::ranges::find(kModelCodeRules, stack, &ModelCodeRule::stack);
    return rule == kModelCodeRules.end() ? nullptr : rule;
}

bool isMegatron(std::string_view stack) {
    const ModelCodeRule* const rule = ruleOf(stack);
    return rule != nullptr && rule->check == &checkMegatronPackages;
}

}  // namespace

Result<void> checkHasCode(std::string_view stack, const ModelSpec& model) {
    const ModelCodeRule* const rule = ruleOf(stack);
    return rule == nullptr ? Result<void>() : rule->check(model);
}

Result<void> checkHasConfig(std::string_view stack, const ModelSpec& model, Tuning tuning) {
    return stack == "torchtitan" ? checkTitanConfig(model, tuning) : checkHasCode(stack, model);
}

std::optional<std::string> ownPartNote(std::string_view stack,
                                       const ModelSpec& model,
                                       Tuning tuning) {
    if (const Result<void> code = checkHasCode(stack, model); !code) {
        return code.error().why + ": its code would be yours, and emit refuses it";
    }
    if (const Result<void> config = checkHasConfig(stack, model, tuning); !config) {
        return config.error().why + ": it would be yours, and emit refuses it";
    }
    if (const std::string_view recipes = bridgeRecipesOf(model);
        isMegatron(stack) && !recipes.empty() && !checkMegatronCode(model)) {
        return "of Megatron's programs only Megatron Bridge has " + model.name + ": " +
               std::string(recipes);
    }
    if (stack == "torchtitan" && !isTitanConfig(model)) {
        return "torchtitan has the code of " + model.family + ", but no config of " + model.name +
               ": emit writes one for 0.2.2";
    }
    return std::nullopt;
}

}  // namespace fabricast
