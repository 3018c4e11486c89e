#pragma once
#include "manual/command_info.h"

#include <string>

namespace fabricast {

/// "usage: fabricast plan [FILE] [FLAGS]\n".
std::string usageLine(const CommandInfo& command);

/// What --help prints: usage, arguments, flags by group, commands and the footer.
std::string helpText(const CommandInfo& command);

}  // namespace fabricast
