#pragma once
#include "planner/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

struct LetterPlace {
    std::int64_t line = 1;
    std::int64_t column = 1;
};

/// A word of a shell script, with variables that the script sets itself put in.
struct ShellWord {
    std::string text;
    std::int64_t line = 1;
    std::int64_t column = 1;
    std::vector<LetterPlace> places{};  ///< of its letters, of scripts and of assignments
    bool isScript = false;              ///< a shell takes it for one: what bash -c is given
    std::string mayBe{};                ///< what branches set its variable to
};
using ShellCommand = std::vector<ShellWord>;

/// A script as it would be run.
struct ShellScript {
    std::vector<ShellCommand> commands;  ///< in their order
    ShellCommand environment;            ///< "NAME=value", exported or before a command
    ShellCommand batch;                  ///< the words of its #SBATCH lines
};

/// Loops, tests and substitutions are left as the words that they are, and nothing is run: a
/// variable that the script does not set stays "$NAME".
///     readShellScript("A=(--bf16)\ntorchrun x.py ${A[@]}\n", "run.sh")
///         →  commands = {{torchrun, x.py, --bf16}}
/// What "bash -c" is given is read as a script, too: srun bash -c 'torchrun x.py' is the command
/// {srun, torchrun, x.py}.
Result<ShellScript> readShellScript(std::string_view script, const std::string& source);

}  // namespace fabricast
