#pragma once
#include "planner/launch/launch_keys.h"
#include "planner/launch/shell_words.h"

#include <string>

namespace fabricast {

// torchtune's recipes, which are not modelled: what there is of them is named.

/// Key of a file that is one of torchtune's: the recipe's name, or nothing where only its config is
/// there.
inline constexpr const char* kTuneKey = "tune";

/// Where the recipe stands in "tune run [options of torchrun] RECIPE --config …"; the command's
/// length where it is no such command.
std::size_t tuneRecipe(const ShellCommand& command);

/// Whether keys are those of torchtune's YAML, which names its parts by "_component_".
bool isTuneYaml(const LaunchKeys& yaml);

/// Why it is not read, at `key`; a recipe that torchtune 0.6 does not have is said to be none.
tl::unexpected<Error> refuseTune(const LaunchKeys& keys, const LaunchKey& key);

}  // namespace fabricast
