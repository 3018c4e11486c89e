#pragma once
#include "cli/command.h"

#include <string>
#include <vector>

namespace fabricast {

/// Whether the command has the form that -f, or the ending of -o's file, asks for.
Result<void> checkForm(const Command& command, const GlobalOptions& options);

/// Whether a page can be had of this command, in the file that was named.
Result<void> checkPage(const Command& command, const GlobalOptions& options);

/// The bytes of the page, HTML or PDF, that -f asks for.
Result<std::string> pageOf(const Report& report,
                           const std::string& title,
                           const std::vector<std::string>& typed,
                           const GlobalOptions& options);

}  // namespace fabricast
