#include "planner/launch/started_program.h"

#include "planner/launch/hugging_face_arguments.h"
#include "planner/launch/opened_framework.h"
#include "planner/launch/parsed_arguments.h"
#include "planner/launch/trl.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

constexpr const char* kModelName = "--model_name_or_path";

/// Programs that do what their arguments say, and nothing else: of transformers' examples, TRL and
/// LLaMA-Factory.
bool doesAsTyped(const std::string& script, const LaunchKeys& keys) {
    constexpr std::array<std::string_view, 4> kExamples = {
        "run_clm.py", "run_fim.py", "run_mlm.py", "run_plm.py"};
    const std::string name = script.substr(script.rfind('/') + 1);
    return std::ranges::find(kExamples, name) != kExamples.end() ||
           (name == "sft.py" && isTrl(keys)) || keys.has("--template") ||
           keys.has("--finetuning_type");
}

/// Whether it is read by a shell: arguments of a YAML or a program are no command line.
bool isOfShell(const std::string& source) {
    return !source.ends_with(".py") && !source.ends_with(".yaml") && !source.ends_with(".yml");
}

}  // namespace

void nameProgram(OpenedFile& script, const ReadNamed& read) {
    OpenedFile start{LaunchKind::Script, script.keys};
    const LaunchKey* const named = script.keys.find("script");
    start.names = named == nullptr || named->values.size() != 1 ? "" : named->values.front();
    start.namedBy = "script";
    // "--deepspeed" without another argument may be anybody's.
    const bool isTrainers = script.kind == LaunchKind::Trainer;
    const bool mayBe =
        isTrainers || (script.kind == LaunchKind::Script && script.namedBy == "--deepspeed");
    if (!mayBe || !isOfShell(script.keys.source()) || !namesProgram(start) ||
        doesAsTyped(start.names, script.keys)) {
        return;
    }
    const Result<OpenedFile> program = openNamed(start, read);
    if (program && program->kind == LaunchKind::Trainer) {
        script.kind = LaunchKind::Script;
        script.names = start.names;
        script.namedBy = start.namedBy;
    } else if (!isTrainers) {
        return;
    } else if (!program && program.error().code != Error::Code::NotFound &&
               program.error().where.find(".py:") != std::string::npos) {
        script.refusedProgram = program.error();  // at one of its lines
    } else {
        script.unreadProgram = start.names;
    }
}

void addProgramsArguments(const OpenedFile& script, OpenedFile& program) {
    if (program.kind != LaunchKind::Trainer || !namesProgram(script)) {
        return;
    }
    const LaunchKey* const parses = program.keys.find(kParsesArguments);
    const bool readsItself = parses == nullptr && program.keys.find(kOwnParser) != nullptr;
    const bool hasLength = std::ranges::any_of(
        program.keys.all(), [](const LaunchKey& key) { return isLengthArgument(key.path); });
    const LaunchKey* const model = program.keys.find(kModelName);
    const bool hasModel = model != nullptr && model->values.size() == 1 &&
                          model->values.front() != "null" &&
                          !model->values.front().starts_with("$");
    LaunchKeys typed(script.keys.source());
    for (const LaunchKey& key : script.keys.all()) {
        const bool isOwn =
            readsItself || (parses != nullptr &&
                            std::ranges::find(parses->values, key.path) != parses->values.end());
        const bool isAsked = (isLengthArgument(key.path) && !hasLength) ||
                             (key.path == kModelName && !hasModel) || !isOwn;
        if (key.path.starts_with("--") && isAsked) {
            typed.add(key);
        }
    }
    program.keys.append(typed, {"--"});
    program.names.clear();
    nameOther(program, {"--deepspeed", kConfigOfAccelerate});
}

}  // namespace fabricast
