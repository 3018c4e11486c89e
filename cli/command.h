#pragma once
#include "cli/exit_code.h"
#include "flags/command_line.h"
#include "flags/global_options.h"
#include "planner/base/result.h"
#include "planner/report/format.h"
#include "planner/report/report.h"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// What a command hands back: the result for standard output, and remarks for standard error.
struct Answer {
    std::string text{};
    ExitCode code = ExitCode::Ok;
    std::vector<std::string> remarks{};  ///< left out with --quiet
    /// Notes about the user's own measurements: each that the text does not say becomes a remark.
    std::vector<std::string> leansOn{};
    /// Instead of `text`, where the format is for people: becomes text or a page.
    std::optional<Report> report{};

    /// What people read after the rest.
    void add(const std::string& more) {
        if (report) {
            report->add(more);
        } else {
            text += more;
        }
    }
};

/// The forms of a command that writes tables, and of one that does not.
inline constexpr std::array kTableForms = {
    Format::Text, Format::Json, Format::Csv, Format::Markdown};
inline constexpr std::array kTextAndJson = {Format::Text, Format::Json};
inline constexpr std::array kTextAlone = {Format::Text, Format::Markdown};

/// This is one subcommand: its flags, and what it does once they are parsed.
/// A command is a pure function of its flags and files; it neither prints nor exits.
struct Command {
    FlagSet flags;
    std::function<Result<Answer>()> run;
    bool hasPages = false;  ///< answers with a report where the format is for people
    std::span<const Format> forms = kTableForms;
};

/// Declares a subcommand. `options` outlives the command and is filled before `run` is called.
using MakeCommand = Command (*)(const FlagSet& program, const GlobalOptions& options);

// One file each in cli/commands.
Command modelCommand(const FlagSet& program, const GlobalOptions& options);
Command planCommand(const FlagSet& program, const GlobalOptions& options);
Command sizeCommand(const FlagSet& program, const GlobalOptions& options);
Command adviseCommand(const FlagSet& program, const GlobalOptions& options);
Command explainCommand(const FlagSet& program, const GlobalOptions& options);
Command emitCommand(const FlagSet& program, const GlobalOptions& options);
Command importCommand(const FlagSet& program, const GlobalOptions& options);
Command lintCommand(const FlagSet& program, const GlobalOptions& options);
Command oomCommand(const FlagSet& program, const GlobalOptions& options);
Command checkCommand(const FlagSet& program, const GlobalOptions& options);
Command compareCommand(const FlagSet& program, const GlobalOptions& options);
Command scheduleCommand(const FlagSet& program, const GlobalOptions& options);
Command simulateCommand(const FlagSet& program, const GlobalOptions& options);
Command backtestCommand(const FlagSet& program, const GlobalOptions& options);
Command collectiveCommand(const FlagSet& program, const GlobalOptions& options);
Command topologyCommand(const FlagSet& program, const GlobalOptions& options);
Command helpCommand(const FlagSet& program, const GlobalOptions& options);
Command probeCommand(const FlagSet& program, const GlobalOptions& options);
Command calibrateCommand(const FlagSet& program, const GlobalOptions& options);
Command completionCommand(const FlagSet& program, const GlobalOptions& options);
Command doctorCommand(const FlagSet& program, const GlobalOptions& options);
Command initCommand(const FlagSet& program, const GlobalOptions& options);
Command errorsCommand(const FlagSet& program, const GlobalOptions& options);
Command schemaCommand(const FlagSet& program, const GlobalOptions& options);
Command manCommand(const FlagSet& program, const GlobalOptions& options);
Command profilesCommand(const FlagSet& program, const GlobalOptions& options);

}  // namespace fabricast
