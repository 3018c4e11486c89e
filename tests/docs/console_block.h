#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// One command of a ```console block in a page, and its output on the page.
struct ConsoleCommand {
    int line = 0;         ///< of the "$ "
    std::string command;  ///< without the "$ "
    std::string printed;
};

/// A page split at its console commands: text, command, text, command, …, text.
struct ConsolePage {
    std::vector<std::string> texts;  ///< one more than commands; each begins after the output
    std::vector<ConsoleCommand> commands;

    /// The page as a file, with what its commands print now.
    [[nodiscard]] std::string text() const;
};

ConsolePage readConsolePage(std::string_view page);

/// Splits a command as a shell does: spaces, 'single' and "double" quotes.
std::vector<std::string> shellWords(std::string_view command);

}  // namespace fabricast
