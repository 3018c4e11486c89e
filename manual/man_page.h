#pragma once
#include "manual/command_info.h"

#include <string>

namespace fabricast {

/// A manual page (roff) of a command, or of the program: `fabricast man plan | man -l -`.
/// `exitStatus` are lines of "1  it does not fit".
std::string manPage(const CommandInfo& command,
                    const CommandInfo& program,
                    const std::string& version,
                    const std::string& exitStatus);

/// The page's name: "fabricast-profiles-show".
std::string manName(const CommandInfo& command);

}  // namespace fabricast
