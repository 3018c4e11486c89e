#pragma once
#include "planner/launch/launch_keys.h"
#include "planner/launch/shell_words.h"

#include <cstddef>
#include <string>
#include <vector>

namespace fabricast {

// Which commands of a shell script start a training, and what they start.

/// Whether a word is a script, a module behind "-m" that is one, or the trainer of TRL's command.
bool isOwnScript(const ShellCommand& command, std::size_t at);

/// "trl sft" of TRL's command: the word behind it.
bool isTrlTrainer(const ShellCommand& command, std::size_t at);

/// Where the script, Axolotl's file or TRL's trainer stands in a command; its length where there is
/// none.
std::size_t scriptOf(const ShellCommand& command);

/// A command of Axolotl that trains nothing, by the word that says what it does; null for another.
const ShellWord* otherOfAxolotl(const ShellCommand& command);

/// Of the commands that name a script, the one with most to say: a test whether it is there is
/// shorter.
const ShellCommand* startOf(const std::vector<ShellCommand>& commands);

/// Adds kOpenArguments where a branch of the script decides what of this is typed, such as
/// $EXTRA of "if $LONG; then EXTRA="--max_length 65536"; fi".
void addOpenArguments(const ShellCommand& command, LaunchKeys& keys);

/// Adds kSecondTraining where another command starts a training as well, with other words.
void addSecondTraining(const std::vector<ShellCommand>& commands,
                       const ShellCommand& first,
                       LaunchKeys& keys);

}  // namespace fabricast
