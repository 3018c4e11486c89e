#include "machine/ask_frameworks.h"

#include "machine/child_process.h"
#include "machine/embedded_tools.h"
#include "machine/program_paths.h"
#include "planner/text/json_document.h"
#include "planner/text/json_text.h"
#include "planner/text/text_files.h"

#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

constexpr const char* kPythonFlag = "--python";
constexpr const char* kReader = "tools/check_emitted.py";
constexpr std::string_view kMegatronsTable = "launch/megatron_arguments.csv";
/// Packages of gigabytes are loaded, maybe over a network.
constexpr double kMostAskingSeconds = 180.0;
/// The framework's, and the launcher's.
constexpr std::size_t kMostAnswers = 2;

Result<void> writeBelow(const WorkFolder& folder, const std::string& name, std::string_view text) {
    const std::string path = folder.at(name);
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    return writeTextFile(path, std::string(text));
}

/// The programs and the table beside them as they lie in the repository, and the launch files.
Result<void> writeAll(const WorkFolder& folder, const Emitted& emitted) {
    if (!folder.isThere()) {
        return fail(Error::Code::Environment, "--check", "there is no folder for temporary files");
    }
    for (const EmbeddedFile& tool : embeddedTools()) {
        FABRICAST_TRY(writeBelow(folder, std::string(tool.path), tool.text));
    }
    for (const EmbeddedFile& table : embeddedProfiles()) {
        if (table.path == kMegatronsTable) {
            FABRICAST_TRY(
                writeBelow(folder, "hardware_profiles/" + std::string(table.path), table.text));
        }
    }
    for (const LaunchFile& file : emitted.launch.files) {
        FABRICAST_TRY(writeBelow(folder, "run/" + file.name, file.text));
    }
    return {};
}

/// What check_emitted.py is told of the plan.
std::string planJson(const Emitted& emitted, Launcher launcher) {
    const Scenario& plan = emitted.forecast.scenario;
    JsonText json;
    json.beginObject();
    json.add("target", emitted.target);
    json.add("version", emitted.version);
    json.add("gpus", plan.cluster.gpus());
    json.add("stages", plan.layout.pp);
    json.add("launcher", launcher == Launcher::Slurm ? "slurm" : "torchrun");
    json.end();
    return std::move(json).finish();
}

Result<FrameworkAnswer> readAnswer(const std::string& line) {
    FABRICAST_ASSIGN(const JsonValue root, parseJson(line, kReader));
    FrameworkAnswer answer;
    FABRICAST_ASSIGN(answer.reader, root.textOr("reader", ""));
    FABRICAST_ASSIGN(answer.version, root.textOr("version", ""));
    FABRICAST_ASSIGN(answer.rejected, root.textOr("reason", ""));
    FABRICAST_ASSIGN(answer.missing, root.textOr("missing", ""));
    const bool says = !answer.version.empty() || !answer.missing.empty();
    return !answer.reader.empty() && says
               ? Result<FrameworkAnswer>(std::move(answer))
               : fail(Error::Code::BadInput, kReader, "names no reader and its version");
}

/// A named Python that is none is an error; without a name there may be none.
Result<std::string> pythonOf(const std::string& named) {
    if (named.empty()) {
        return programOnPath("python3").value_or("");
    }
    const bool isPath = named.find('/') != std::string::npos;
    const std::string found = isPath ? named : programOnPath(named).value_or("");
    return isProgram(found) ? Result<std::string>(found)
                            : fail(Error::Code::BadInput,
                                   kPythonFlag,
                                   "\"" + named + "\" is no program that can be run",
                                   "--python venv/bin/python");
}

FrameworkAnswer notAsked(const Emitted& emitted, const std::string& why) {
    return {.reader = emitted.target, .version = {}, .rejected = {}, .missing = why};
}

}  // namespace

Result<std::vector<FrameworkAnswer>> askFrameworks(const Emitted& emitted,
                                                   const FrameworkAsk& ask,
                                                   const Watch& watch) {
    FABRICAST_ASSIGN(const std::string python, pythonOf(ask.python));
    if (python.empty()) {
        return std::vector{notAsked(emitted, "there is no python3 on PATH")};
    }
    const WorkFolder folder;
    FABRICAST_TRY(writeAll(folder, emitted));
    watch.say("asking " + emitted.target + " itself");
    FABRICAST_ASSIGN(const ChildOutcome outcome,
                     runChild({.command = {python,
                                           folder.at(kReader),
                                           folder.at("run"),
                                           planJson(emitted, ask.launcher)},
                               .mostSeconds = kMostAskingSeconds,
                               .graceSeconds = 2.0,
                               .stop = watch.stop}));
    watch.say("");
    if (outcome.end == ChildOutcome::End::Interrupted) {
        return fail(Error::Code::Stopped,
                    "--check",
                    "was stopped before the framework answered",
                    "more time, or no --check");
    }
    if (outcome.end != ChildOutcome::End::Exited || outcome.code != 0) {
        return std::vector{notAsked(emitted, python + " " + endText(outcome))};
    }
    std::vector<FrameworkAnswer> answers;
    std::istringstream lines(outcome.out);
    for (std::string line; answers.size() < kMostAnswers && std::getline(lines, line);) {
        Result<FrameworkAnswer> answer = readAnswer(line);
        if (!answer) {
            return std::vector{notAsked(emitted, python + " says what is no answer")};
        }
        answers.push_back(*std::move(answer));
    }
    return answers.empty() ? std::vector{notAsked(emitted, python + " says nothing")} : answers;
}

}  // namespace fabricast
