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
    std::vector<std::string> leansOn{};  ///< notes about the user's own measurements
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
    /// Some forms have no place for notes: those about the user's own measurements become remarks
    /// where the text, once it is known, does not say them.
    void leanOn(std::span<const std::string> notes);
    void addUnsaid();
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
using MakeCommand = Command(const FlagSet& program, const GlobalOptions& options);

// One file each in cli/commands.
MakeCommand adviseCommand, backtestCommand, calibrateCommand, checkCommand, collectiveCommand,
    compareCommand, completionCommand, doctorCommand, emitCommand, errorsCommand, explainCommand,
    helpCommand, importCommand, initCommand, lintCommand, manCommand, modelCommand, oomCommand,
    planCommand, probeCommand, profilesCommand, scheduleCommand, schemaCommand, simulateCommand,
    sizeCommand, topologyCommand;

}  // namespace fabricast
