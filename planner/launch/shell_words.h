#pragma once
#include "planner/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A word of a shell script, with variables that the script sets itself put in.
struct ShellWord {
    std::string text;
    std::int64_t line = 1;
    std::int64_t column = 1;
};
using ShellCommand = std::vector<ShellWord>;

/// The commands of a script in their order. Loops, tests and substitutions are left as the words
/// that they are, and nothing is run: a variable that the script does not set stays "$NAME".
///     shellCommands("A=(--bf16)\ntorchrun x.py ${A[@]}\n", "run.sh")  →  {torchrun, x.py, --bf16}
Result<std::vector<ShellCommand>> shellCommands(std::string_view script, const std::string& source);

}  // namespace fabricast
