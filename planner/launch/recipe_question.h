#pragma once
#include "planner/launch/launch_keys.h"

#include <string>

namespace fabricast {

/// A call of a recipe of NeMo or Megatron Bridge, "llm.llama3_8b.pretrain_recipe" and
/// "llama3_8b_pretrain_config"; null where a program has none.
const LaunchKey* recipeOf(const LaunchKeys& program);

/// The question about a recipe's run that the program states, as it is typed: the model that the
/// recipe is named after, and the sizes that are set behind it. What stands in the packages is left
/// to be searched.
///     "fabricast plan -m llama-3-70b --stack nemo -c dgx-h100 -n 8 --fix tp=4,pp=4 --seq 8192"
std::string questionOfRecipe(const LaunchKeys& program, const LaunchKey& recipe);

}  // namespace fabricast
