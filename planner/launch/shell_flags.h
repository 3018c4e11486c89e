#pragma once
#include "planner/launch/launch_keys.h"
#include "planner/launch/shell_words.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace fabricast {

// What the words of a command are.

/// "--seed", or a choice that stands alone, as torchtitan's "activation-checkpoint:full".
bool isFlag(const std::string& word);

bool isScript(const std::string& word);

/// The last part of a path: "bash" of "/bin/bash".
std::string_view programOf(const std::string& word);

/// "trl.scripts.sft" behind "-m", which Python looks for as trl/scripts/sft.py. Modules that start
/// others are no scripts.
bool isModule(const ShellCommand& command, std::size_t at);

/// "trl/scripts/sft.py" of a module; any other word stays.
std::string fileOfScript(const ShellCommand& command, std::size_t at);

/// Flags with the words that follow each, up to the next flag; "--a=b" is one of one.
void addFlags(const ShellCommand& words,
              std::size_t begin,
              std::size_t end,
              const std::string& before,
              LaunchKeys& keys);

/// Another script that a word starts: run.sh of bash "$SLURM_SUBMIT_DIR/run.sh", which is looked
/// for beside this one. Empty where it starts none.
std::string scriptIn(const std::string& word);

/// Whether a command may start the script that is its word `at`: it is the program itself, or
/// stands behind a shell or a program that starts others. One that tests, copies or sources a file
/// does not.
bool mayStart(const ShellCommand& command, std::size_t at);

}  // namespace fabricast
