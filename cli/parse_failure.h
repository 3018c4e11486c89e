#pragma once
#include "planner/base/result.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace fabricast {

/// The subcommand that was chosen, innermost first, or the program.
const CLI::App* chosenCommand(const CLI::App& program);

/// What was wrong with the arguments, in our words: an unknown command or flag with the nearest
/// one, or what the flag's own check said.
Error argumentError(const CLI::App& program,
                    const std::vector<std::string>& arguments,
                    const CLI::ParseError& failure);

}  // namespace fabricast
