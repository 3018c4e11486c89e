#pragma once
#include "planner/launch/import_launch.h"
#include "planner/launch/launch_keys.h"
#include "planner/launch/shell_words.h"

#include <string>
#include <string_view>

namespace fabricast {

// torchtune's recipes: those that are read, and by name those that are not modelled.

/// Key of a file that is one of torchtune's: the recipe's name, or nothing where only its config is
/// there.
inline constexpr const char* kTuneKey = "tune";

/// Where the recipe stands in "tune run [options of torchrun] RECIPE --config …"; the command's
/// length where it is no such command.
std::size_t tuneRecipe(const ShellCommand& command);

/// Whether keys are those of torchtune's YAML, which names its parts by "_component_".
bool isTuneYaml(const LaunchKeys& yaml);

/// Refuses a recipe that is not modelled; one that torchtune 0.6 does not have is said to be none.
Result<void> checkTuneRecipe(const LaunchKeys& keys);

/// Refuses a config that torchtune has itself, by a name that is no file's, and a name that is
/// neither.
Result<void> checkTuneConfig(const LaunchKeys& keys);

/// Whether a script names a config that torchtune has itself: "llama3_1/8B_full".
bool namesTunesOwnConfig(const LaunchKeys& keys);

/// A config with what is typed of its recipe: the recipe itself, its launcher, and keys that win.
/// As torchtune has it, "~seed" removes a key, and "model=X" names the model's _component_; what it
/// refuses is refused: "--seed=1", "~model", "seed=1=2".
Result<LaunchKeys> tunedConfig(const LaunchKeys& config, const LaunchKeys& script);

inline constexpr std::string_view kTunedKey = "tune ";  ///< before a key that is typed

/// What "torchtune.models.llama3_1.qlora_llama3_1_8b" says.
struct TuneModel {
    std::string name;        ///< of a built-in model: "llama3.1-8b"; empty: none that is known
    bool adapts = false;     ///< lora_ or qlora_ stands before it
    bool quantizes = false;  ///< qlora_
};

/// By the builder's name, which is its family's with the size behind it.
TuneModel tuneModel(std::string_view component, const ImportContext& context);

}  // namespace fabricast
