#pragma once
#include <CLI/CLI.hpp>

#include <string>

namespace fabricast {

/// What --help prints for the program or a command: usage, arguments, flags by group, commands,
/// and the footer. The same under every version of the library that parses the flags.
std::string helpText(const CLI::App& app);

/// "fabricast profiles show".
std::string commandName(const CLI::App& app);

}  // namespace fabricast
