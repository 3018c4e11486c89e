#pragma once
#include "cli/exit_code.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricast {

/// What the program sees of its surroundings.
struct Surroundings {
    bool terminalOut = false;
    bool terminalError = false;
    bool noColor = false;     ///< NO_COLOR or TERM=dumb
    bool forceColor = false;  ///< FORCE_COLOR or CLICOLOR_FORCE
    /// "2026-11-20": nothing can have been measured later. Answers do not depend on it otherwise;
    /// empty: any day may have come.
    std::string today{};
    /// Told how much of a long answer is done, from any thread; empty where nobody watches.
    std::function<void(std::size_t done, std::size_t all)> progress{};
    /// The token that Ctrl-C sets. From the call on, the first Ctrl-C no longer ends the program;
    /// the second does. Empty: work cannot be stopped.
    std::function<std::stop_token()> stop{};
    /// Told what is being done now, a line that replaces the one before; empty where nobody
    /// watches.
    std::function<void(const std::string& line)> status{};
    /// Asks a person at the terminal; empty where nobody can be asked.
    std::function<std::optional<std::string>(const std::string& question)> ask{};
};

struct ProgramOutput {
    std::string out;  ///< for standard output: the result and nothing else
    std::string err;  ///< for standard error: the rest
    ExitCode code = ExitCode::Ok;
};

/// The whole program but for the printing. Nothing a user types makes it throw.
///     const ProgramOutput answer = runProgram({"model", "llama-3.1-8b"}, {});
ProgramOutput runProgram(const std::vector<std::string>& arguments,
                         const Surroundings& surroundings);

}  // namespace fabricast
