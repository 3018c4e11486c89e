#include "planner/stack/packaged_models.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

/// Others run transformers' own models.
struct ModelCodeRule {
    std::string_view stack;
    Result<void> (*check)(const ModelSpec& model);
};
constexpr std::array kModelCodeRules = {ModelCodeRule{"torchtitan", &checkTitanCode},
                                        ModelCodeRule{"megatron", &checkMegatronCode},
                                        ModelCodeRule{"megatron-fsdp", &checkMegatronCode},
                                        ModelCodeRule{"nemo", &checkMegatronCode}};

}  // namespace

Result<void> checkHasCode(std::string_view stack, const ModelSpec& model) {
    const auto* const rule = std::ranges::find(kModelCodeRules, stack, &ModelCodeRule::stack);
    return rule == kModelCodeRules.end() ? Result<void>() : rule->check(model);
}

std::optional<std::string> ownPartNote(std::string_view stack, const ModelSpec& model) {
    if (const Result<void> code = checkHasCode(stack, model); !code) {
        return code.error().why + ": its code would be yours";
    }
    if (stack == "torchtitan" && !isTitanConfig(model)) {
        return "torchtitan has the code of " + model.family + ", but no config of " + model.name +
               ", which would be yours";
    }
    return std::nullopt;
}

}  // namespace fabricast
