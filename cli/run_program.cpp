#include "cli/run_program.h"

#include "cli/command.h"
#include "cli/page.h"
#include "flags/check_outputs.h"
#include "planner/output/printable_text.h"
#include "planner/report/markup.h"
#include "planner/text/text_files.h"
#include "study/typed_hint.h"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

// In the order of --help.
constexpr std::array kCommands = {
    &adviseCommand,   &planCommand,     &sizeCommand,      &modelCommand,      &explainCommand,
    &emitCommand,     &importCommand,   &lintCommand,      &oomCommand,        &compareCommand,
    &checkCommand,    &scheduleCommand, &simulateCommand,  &collectiveCommand, &topologyCommand,
    &backtestCommand, &probeCommand,    &calibrateCommand, &profilesCommand,   &initCommand,
    &doctorCommand,   &schemaCommand,   &errorsCommand,    &completionCommand, &manCommand,
    &helpCommand};

constexpr const char* kDescription =
    "Forecasts memory, step time and cost of training large models.";
constexpr const char* kFooter =
    "Start here:\n"
    "  fabricast plan -m llama-3.1-8b -c dgx-h100 --seq 8192 --global-batch 64\n"
    "Exit codes: 0 ok, 1 does not fit, 2 bad input, 3 unsure (check), 4 environment, 5 bug.";

/// Of a place in a file, "gpus/ours.json:4:12"; empty where it is none.
std::string correctionOf(const std::string& where) {
    const auto numberAfter = [](std::string_view text, std::size_t colon) {
        const std::string_view number =
            colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
        return number.find_first_not_of("0123456789") == std::string_view::npos
                   ? number
                   : std::string_view();
    };
    const std::string_view whole = where;
    const std::string_view begin = whole.substr(0, whole.rfind(':'));
    const std::string_view line = numberAfter(begin, begin.rfind(':'));
    return line.empty() || numberAfter(whole, whole.rfind(':')).empty()
               ? std::string()
               : "correct that value in line " + std::string(line) + " of " +
                     std::string(begin.substr(0, begin.rfind(':')));
}

std::string errorText(const Error& error, bool color) {
    std::string text = color ? "\x1b[31merror:\x1b[0m " : "error: ";
    text +=
        printableLine(shortMessage((error.where.empty() ? "" : error.where + ": ") + error.why)) +
        "\n";
    const std::string hint = error.hint.empty() && error.code == Error::Code::Stopped
                                 ? "more time, or a smaller question"
                                 : error.hint;
    return hint.empty() ? text
                        : text + "  try: " + printableLine(shortMessage(typedHint(hint))) + "\n";
}

bool wantsColor(ColorMode mode, bool terminal, const Surroundings& surroundings) {
    if (mode != ColorMode::Auto) {
        return mode == ColorMode::Always;
    }
    return !surroundings.noColor && (terminal || surroundings.forceColor);
}

/// The program with every command declared.
class Program {
public:
    Program() {
        const FlagSet flags = commandLine_.flags();
        flags.footer(kFooter);
        addGlobalOptions(flags, options_);
        for (MakeCommand* const make : kCommands) {
            commands_.push_back(make(flags, options_));
        }
    }

    ProgramOutput run(const std::vector<std::string>& typed, const Surroundings& surroundings) {
        const std::vector<std::string> arguments = withoutMark(typed);
        options_.today = surroundings.today;
        options_.progress = surroundings.progress;
        options_.stop = surroundings.stop;
        options_.status = surroundings.status;
        options_.ask = surroundings.ask;
        const auto refuse = [&](Error error) {
            if (error.hint.empty()) {
                error.hint = commandLine_.exampleOf(error.where);
            }
            if (error.hint.empty() && error.code == Error::Code::NotFound) {
                error.hint = "the path of a file that is there";
            }
            if (error.hint.empty()) {
                error.hint = correctionOf(error.where);
            }
            if (error.hint.empty() && error.code == Error::Code::BadInput) {
                error.hint = commandLine_.helpOfChosen();
            }
            const bool color = wantsColor(options_.color, surroundings.terminalError, surroundings);
            return ProgramOutput{{}, errorText(error, color), exitCodeOf(error.code)};
        };
        if (const Result<void> marked = commandLine_.checkMark(typed); !marked) {
            return refuse(marked.error());
        }
        const Result<std::optional<std::string>> asked = commandLine_.parse(arguments);
        if (!asked) {
            return refuse(asked.error());
        }
        if (*asked) {
            return {**asked, {}, ExitCode::Ok};
        }
        options_.typedFlags = commandLine_.flagsOf(arguments);
        options_.takeFormatOfOutput();
        if (const Result<void> sound = checkOutputs(arguments, options_); !sound) {
            return refuse(sound.error());
        }
        Result<Answer> answer = runChosen();
        if (options_.status) {
            options_.status("");
        }
        if (!answer) {
            return refuse(answer.error());
        }
        if (Result<void> shaped = shape(*answer, arguments); !shaped) {
            return refuse(shaped.error());
        }
        answer->addUnsaid();
        if (Result<void> written = writeAnswer(*answer); !written) {
            return refuse(written.error());
        }
        return deliver(*std::move(answer));
    }

private:
    [[nodiscard]] Result<Answer> runChosen() const {
        FABRICAST_TRY(options_.check());
        for (const Command& command : commands_) {
            if (command.flags.chosen()) {
                FABRICAST_TRY(checkForm(command, options_));
                FABRICAST_TRY(checkPage(command, options_));
                return command.run();
            }
        }
        return fail(Error::Code::Internal, "", "no command given");
    }

    /// A report becomes text, or a page; nothing in either moves a cursor.
    [[nodiscard]] Result<void> shape(Answer& answer, const std::vector<std::string>& typed) const {
        if (options_.page != PageKind::None && !answer.report) {
            return fail(Error::Code::BadInput,
                        "--format",
                        "this answer has no report as a page",
                        "--format text, json, csv or md");
        }
        if (options_.page != PageKind::None) {
            FABRICAST_ASSIGN(answer.text, pageOf(*answer.report, titleOfChosen(), typed, options_));
            return {};
        }
        answer.text = printableText(answer.report ? reportText(*answer.report) : answer.text);
        if (options_.format == Format::Markdown) {
            answer.text = markdownEscaped(answer.text);
        }
        return {};
    }

    [[nodiscard]] std::string titleOfChosen() const {
        const auto chosen = std::ranges::find_if(
            commands_, [](const Command& command) { return command.flags.chosen(); });
        return chosen == commands_.end() ? "" : chosen->flags.info().description;
    }

    [[nodiscard]] Result<void> writeAnswer(const Answer& answer) const {
        return options_.output == "-" ? Result<void>()
                                      : writeTextFile(options_.at(options_.output), answer.text);
    }

    [[nodiscard]] ProgramOutput deliver(Answer answer) const {
        ProgramOutput output{
            options_.output == "-" ? std::move(answer.text) : std::string(), {}, answer.code};
        for (const std::string& remark : answer.remarks) {
            output.err += options_.quiet ? "" : printableText(shortMessage(remark)) + "\n";
        }
        if (output.code == ExitCode::Interrupted && options_.format == Format::Csv) {
            output.err += "stopped before the end: what was found until then\n";  // no row says so
        }
        const bool isVerdict =
            output.code == ExitCode::DoesNotFit || output.code == ExitCode::CannotTell;
        if (options_.noFail && isVerdict) {
            output.code = ExitCode::Ok;
        }
        return output;
    }

    CommandLine commandLine_{"fabricast", kDescription, "fabricast " FABRICAST_VERSION};
    GlobalOptions options_;
    std::vector<Command> commands_;
};

}  // namespace

ProgramOutput runProgram(const std::vector<std::string>& arguments,
                         const Surroundings& surroundings) {
    try {
        const FilesRead inputs;
        return Program().run(arguments, surroundings);
    } catch (const std::bad_alloc&) {
        return {{}, "error: out of memory\n", ExitCode::Environment};
    } catch (const std::system_error& refused) {  // a thread that the system does not start
        return {{}, std::string("error: ") + refused.what() + "\n", ExitCode::Environment};
    } catch (const std::exception& mistake) {
        return {{},
                std::string("error: this is a bug in fabricast: ") + mistake.what() +
                    "\n  try: report it with the command line\n",
                ExitCode::Bug};
    }
}

}  // namespace fabricast
