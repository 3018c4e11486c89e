#pragma once
#include "cli/exit_code.h"
#include "cli/global_options.h"
#include "planner/base/result.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace fabricast {

/// What a command hands back: the result for standard output, and remarks for standard error.
struct Answer {
    std::string text;
    ExitCode code = ExitCode::Ok;
    std::vector<std::string> remarks{};  ///< left out with --quiet
};

/// This is one subcommand: its flags, declared on `app`, and what it does once they are parsed.
/// A command is a pure function of its flags and files; it neither prints nor exits.
struct Command {
    CLI::App* app = nullptr;
    std::function<Result<Answer>()> run;
};

/// Declares a subcommand. `options` outlives the command and is filled before `run` is called.
using MakeCommand = Command (*)(CLI::App& program, const GlobalOptions& options);

// One file each in cli/commands.
Command modelCommand(CLI::App& program, const GlobalOptions& options);
Command planCommand(CLI::App& program, const GlobalOptions& options);
Command adviseCommand(CLI::App& program, const GlobalOptions& options);
Command explainCommand(CLI::App& program, const GlobalOptions& options);
Command compareCommand(CLI::App& program, const GlobalOptions& options);
Command scheduleCommand(CLI::App& program, const GlobalOptions& options);
Command simulateCommand(CLI::App& program, const GlobalOptions& options);
Command backtestCommand(CLI::App& program, const GlobalOptions& options);
Command topologyCommand(CLI::App& program, const GlobalOptions& options);
Command helpCommand(CLI::App& program, const GlobalOptions& options);
Command probeCommand(CLI::App& program, const GlobalOptions& options);
Command calibrateCommand(CLI::App& program, const GlobalOptions& options);
Command profilesCommand(CLI::App& program, const GlobalOptions& options);

}  // namespace fabricast
