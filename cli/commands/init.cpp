#include "cli/command.h"
#include "flags/check_outputs.h"
#include "flags/question_arguments.h"
#include "planner/load/load_question.h"
#include "planner/text/text_files.h"
#include "study/next_command.h"
#include "study/templates.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

constexpr const char* kUsualFile = "fabricast.json";
/// Of an answer that is the scenario, which is JSON with comments.
constexpr std::array kScenarioForms = {Format::Text, Format::Json, Format::Markdown};

struct InitFlags {
    QuestionArguments question;
    std::string file{};  ///< empty: not typed
    bool yes = false;
    bool force = false;
};

/// A part of the scenario, how it is asked for, and the other key that says it.
struct AskedPart {
    std::string_view flag;
    const char* question;
    const char* value;
    std::string_view instead{};
};
constexpr std::array kAskedParts = {
    AskedPart{"-m", "model, or path of a config.json", "llama-3.1-8b"},
    AskedPart{"-c", "cluster or node", "dgx-h100", "cluster.gpu"},
    AskedPart{"-n", "number of nodes", "1", "cluster.gpus"},
    AskedPart{"--stack", "stack (empty: compare several)", ""},
    AskedPart{"--seq", "sequence length in tokens", "8192"},
    AskedPart{"--global-batch", "samples of a step", "64"}};

/// Whether a flag or --set gives a key, or the whole that it is a part of.
bool isTyped(std::string_view path, const InitFlags& flags, const GlobalOptions& options) {
    const QuestionFlag* flag = flagOf(path);
    if (flag != nullptr && flags.question.says(flag->typed)) {
        return true;
    }
    return std::ranges::any_of(options.sets, [path](std::string_view set) {
        const std::string_view key = set.substr(0, set.find('='));
        return path == key || (path.starts_with(key) && path.substr(key.size()).starts_with('.'));
    });
}

/// As flags say, then as answered. An empty answer takes what stands in brackets.
Result<QuestionArguments> argumentsOf(const InitFlags& flags, const GlobalOptions& options) {
    QuestionArguments arguments = flags.question;
    for (const AskedPart& part : kAskedParts) {
        const bool isSaid = isTyped(flagTyped(part.flag)->path, flags, options) ||
                            (!part.instead.empty() && isTyped(part.instead, flags, options));
        if (isSaid) {
            continue;
        }
        std::string value = part.value;
        if (!flags.yes) {
            const std::optional<std::string> said =
                options.ask(std::string(part.question) + " [" + value + "]: ");
            if (!said) {
                return fail(
                    Error::Code::Stopped, "", "nothing was written", "fabricast init --yes");
            }
            value = said->empty() ? value : *said;
        }
        if (!value.empty()) {
            arguments.values[part.flag] = value;
        }
    }
    return arguments;
}

/// To FILE, or as every answer to -o; "-" is standard output. A scenario's format is its own.
Result<std::string> placeOf(const InitFlags& flags, const GlobalOptions& options) {
    const bool isAnswer = options.output != "-";
    if (isAnswer && !flags.file.empty()) {
        return fail(Error::Code::BadInput,
                    "-o " + options.output,
                    "the scenario goes to " + flags.file + ": one file is enough",
                    "leave out -o");
    }
    if (options.format == Format::Json && !isAnswer && flags.file != "-") {
        return fail(Error::Code::BadInput,
                    "--format",
                    "init writes its scenario to a file, and prints text",
                    "-o run.json");
    }
    if (options.format == Format::Markdown && isAnswer) {
        return fail(Error::Code::BadInput,
                    "-o " + options.output,
                    "the scenario is JSON, and no Markdown",
                    "-o run.json");
    }
    return isAnswer ? options.output : flags.file.empty() ? std::string(kUsualFile) : flags.file;
}

/// Why explain and check have no answer until a layout is found; empty: they have one.
std::string layoutNote(const Question& question, const Workbench& bench) {
    const Result<LoadedScenario> loaded =
        loadScenario(question.root, bench.profiles(), question.folders);
    return loaded ? "" : "explain and check need a layout first: " + loaded.error().why + "\n";
}

Result<Answer> runInit(const InitFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const std::string file, placeOf(flags, options));
    const std::string path = options.at(file);
    std::error_code ignored;
    if (!flags.force && file != "-" && std::filesystem::exists(path, ignored)) {
        return fail(Error::Code::BadInput, path, "is there already", "--force, or another name");
    }
    if (file != "-") {
        FABRICAST_TRY(checkKeptPlace(path, path, path));
    }
    if (!flags.yes && !options.ask) {
        return fail(Error::Code::BadInput,
                    "init",
                    "asks questions, and this is no terminal",
                    "fabricast init --yes -m llama-3.1-8b -c dgx-h100");
    }
    FABRICAST_ASSIGN(const QuestionArguments arguments, argumentsOf(flags, options));
    FABRICAST_ASSIGN(const Question question, questionOf(arguments, options));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    FABRICAST_ASSIGN(std::string text, newScenario(path, question, bench, options.watch()));
    if (file == "-") {
        return Answer{.text = std::move(text)};
    }
    std::string said = "written: " + file + "\n" + layoutNote(question, bench) +
                       nextLine("plan", {.file = file, .edits = optionEdits(options)});
    if (options.output != "-") {
        return Answer{.text = std::move(text), .remarks = {std::move(said)}};
    }
    FABRICAST_TRY(writeTextFile(path, text));
    return Answer{.text = std::move(said)};
}

}  // namespace

Command initCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app =
        program.command("init", "Write a scenario file with comments, after a few questions");
    app.footer(
        "examples:\n"
        "  fabricast init\n"
        "  fabricast init --yes -m llama-3.1-70b -c dgx-h200 -n 4 run.json\n"
        "  fabricast init --yes -m ./config.json -c dgx-h100 --stack fsdp2 --tuning lora run.json\n"
        "Takes every flag of a scenario, and --set. What explain, or without a stack\n"
        "and a layout plan, refuses is not written. FILE may be -.");
    const auto flags = std::make_shared<InitFlags>();
    app.add("file", flags->file, "the file to write (default: fabricast.json)").takes("[FILE]");
    addQuestionFlags(app, flags->question, scenarioFlags());
    app.add("--yes", flags->yes, "ask nothing: take the defaults for what no flag says");
    app.add("--force", flags->force, "replace a file that is there");
    return {app, [flags, &options] { return runInit(*flags, options); }, false, kScenarioForms};
}

}  // namespace fabricast
