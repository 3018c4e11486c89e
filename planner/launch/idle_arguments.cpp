#include "planner/launch/import_trainers.h"
#include "planner/launch/launch_files.h"
#include "planner/launch/opened_framework.h"
#include "planner/launch/parsed_arguments.h"
#include "planner/text/json_builder.h"
#include "planner/text/json_strings.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr const char* kNotesOfRun = "imported.notes";
/// More than a person types. The program is read once more for each.
constexpr std::size_t kMostIdleArguments = 40;

/// What is said of a run, but for the notes.
std::string runText(const JsonValue& run) {
    return JsonBuilder::written(JsonBuilder::without(run, kNotesOfRun));
}

/// Whether a word of its name says that it is about data, steps or logs, or how fast is learned.
bool isOfOtherThings(std::string_view argument) {
    constexpr std::array<std::string_view, 27> kWords = {
        "lr",    "learning", "decay",   "warmup", "scheduler", "beta1",   "beta2",
        "seed",  "dir",      "path",    "file",   "data",      "dataset", "log",
        "wandb", "project",  "name",    "save",   "output",    "epochs",  "steps",
        "local", "resume",   "workers", "port",   "eps",       "help"};
    std::size_t begin = argument.find_first_not_of('-');
    while (begin < argument.size()) {
        const std::size_t end = std::min(argument.find_first_of("-_", begin), argument.size());
        if (std::ranges::find(kWords, argument.substr(begin, end - begin)) != kWords.end()) {
            return true;
        }
        begin = end + 1;
    }
    return false;
}

/// The script with another value of that argument, or without one that has none: what it types may
/// be what the program has without.
LaunchKeys withOtherArgument(const LaunchKeys& script, const std::string& argument) {
    LaunchKeys keys(script.source());
    for (LaunchKey key : script.all()) {
        const bool isIt = key.path == argument;
        if (isIt && key.values.size() == 1 && !key.values.front().empty()) {
            const char last = key.values.front().back();
            key.values.front() += last >= '0' && last <= '9' ? "1" : "x";
        }
        if (!isIt || key.values.size() == 1) {
            keys.add(std::move(key));
        }
    }
    return keys;
}

bool changesRun(const OpenedFile& script,
                const std::string& argument,
                const std::string& run,
                const ImportContext& context) {
    OpenedFile less = script;
    less.keys = withOtherArgument(script.keys, argument);
    Result<OpenedFile> program = openNamed(less, context.read);
    const Result<JsonValue> other =
        program ? importFile(*program, context) : tl::unexpected(program.error());
    return !other || runText(*other) != run;
}

}  // namespace

bool parsesItself(const OpenedFile& program) {
    return program.keys.find(kOwnParser) != nullptr &&
           program.keys.find(kParsesArguments) == nullptr;
}

Result<JsonValue> withIdleArguments(JsonValue run,
                                    const OpenedFile& script,
                                    const ImportContext& context) {
    const std::string text = runText(run);
    std::string idle;
    std::size_t count = 0;
    for (const LaunchKey& key : script.keys.all()) {
        const bool isAsked = key.path.starts_with("--") && !isOfOtherThings(key.path);
        if (isAsked && ++count <= kMostIdleArguments &&
            !changesRun(script, key.path, text, context)) {
            idle += (idle.empty() ? "not looked at: " : ", ") + oneLine(key.path) + " (line " +
                    std::to_string(key.line) + ")";
        }
    }
    const JsonValue* const imported = run.find("imported");
    if (idle.empty() || imported == nullptr) {
        return run;
    }
    const JsonBuilder build(script.keys.source());
    JsonValue notes = build.array();
    for (const std::string& note : stringsIn(imported->find("notes"))) {
        JsonBuilder::appendItem(notes, build.string(note));
    }
    JsonBuilder::appendItem(notes, build.string(idle));
    return build.with(std::move(run), kNotesOfRun, std::move(notes));
}

}  // namespace fabricast
