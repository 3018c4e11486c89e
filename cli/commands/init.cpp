#include "cli/command.h"
#include "cli/question_arguments.h"
#include "planner/text/shell_text.h"
#include "planner/text/text_file.h"
#include "study/scenario_template.h"

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

namespace fabricast {
namespace {

struct InitFlags {
    QuestionArguments question;  ///< only its values
    std::string file = "fabricast.json";
    bool yes = false;
    bool force = false;
};

/// A part of the scenario, its flag, and how it is asked for.
struct AskedPart {
    std::string_view flag;
    const char* question;
    std::string ScenarioStart::*value;
};
constexpr std::array kAskedParts = {
    AskedPart{"-m", "model, or path of a config.json", &ScenarioStart::model},
    AskedPart{"-c", "cluster or node", &ScenarioStart::cluster},
    AskedPart{"-n", "number of nodes", &ScenarioStart::nodes},
    AskedPart{"--stack", "stack (empty: compare several)", &ScenarioStart::stack},
    AskedPart{"--seq", "sequence length in tokens", &ScenarioStart::sequence},
    AskedPart{"--global-batch", "samples of a step", &ScenarioStart::globalBatch}};

/// As flags say, then as answered. An empty answer takes what stands in brackets.
Result<ScenarioStart> startOf(const InitFlags& flags, const GlobalOptions& options) {
    ScenarioStart start;
    for (const AskedPart& part : kAskedParts) {
        std::string& value = start.*part.value;
        if (flags.question.says(part.flag)) {
            value = *flags.question.values.at(part.flag);
            continue;
        }
        if (flags.yes) {
            continue;
        }
        const std::optional<std::string> said =
            options.ask(std::string(part.question) + " [" + value + "]: ");
        if (!said) {
            return fail(Error::Code::Stopped, "", "nothing was written");
        }
        value = said->empty() ? value : *said;
    }
    return start;
}

Result<Answer> runInit(const InitFlags& flags, const GlobalOptions& options) {
    const std::string path = options.at(flags.file);
    std::error_code ignored;
    if (!flags.force && std::filesystem::exists(path, ignored)) {
        return fail(Error::Code::BadInput, path, "is there already", "--force, or another name");
    }
    if (!flags.yes && !options.ask) {
        return fail(Error::Code::BadInput,
                    "init",
                    "asks questions, and this is no terminal",
                    "fabricast init --yes -m llama-3.1-8b -c dgx-h100");
    }
    FABRICAST_ASSIGN(const ScenarioStart start, startOf(flags, options));
    const std::string text = scenarioTemplate(start);
    // What cannot be read back is not written.
    FABRICAST_ASSIGN(
        const Question question,
        parseQuestion(text, path, {.file = options.directory, .typed = options.directory}));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    FABRICAST_TRY(bench.profiles().cluster(start.cluster, "cluster"));
    FABRICAST_TRY(writeTextFile(path, text));
    return Answer{.text = "written: " + flags.file + "\n\nnext: fabricast plan " +
                          shellWord(flags.file) + "\n"};
}

}  // namespace

Command initCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app =
        program.command("init", "Write a scenario file with comments, after a few questions");
    app.footer(
        "examples:\n"
        "  fabricast init\n"
        "  fabricast init --yes -m llama-3.1-70b -c dgx-h200 -n 4 run.json");
    const auto flags = std::make_shared<InitFlags>();
    app.add("file", flags->file, "the file to write (default: fabricast.json)").takes("[FILE]");
    for (const AskedPart& part : kAskedParts) {
        addQuestionFlags(app, flags->question, std::span(flagTyped(part.flag), 1));
    }
    app.add("--yes", flags->yes, "ask nothing: take the defaults for what no flag says");
    app.add("--force", flags->force, "replace a file that is there");
    return {app, [flags, &options] { return runInit(*flags, options); }};
}

}  // namespace fabricast
