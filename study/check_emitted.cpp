#include "study/check_emitted.h"

#include "planner/launch/hugging_face.h"
#include "planner/lint/lint.h"
#include "planner/load/load_question.h"
#include "planner/stack/plain_layout.h"
#include "planner/text/json_builder.h"
#include "study/input_effects.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace fabricast {
namespace {

constexpr const char* kStart = "run.sh";

/// The files as those that somebody else reads by their names.
KnownTexts emittedTexts(const Emitted& emitted) {
    TextsByPath texts;
    for (const LaunchFile& file : emitted.launch.files) {
        texts[file.name] = file.text;
    }
    return std::make_shared<const TextsByPath>(std::move(texts));
}

/// What a launch file does not say: the hardware, the model under its own name, and what is said
/// to the script alone.
Result<JsonValue> completed(JsonValue root,
                            const Emitted& emitted,
                            const Question& question,
                            std::vector<std::string>& filledIn) {
    const JsonBuilder build(kStart);
    for (const char* const key : {"model", "cluster"}) {
        if (const JsonValue* const asked = question.root.find(key)) {
            FABRICAST_ASSIGN(root, build.with(std::move(root), key, *asked));
        }
    }
    const Scenario& plan = emitted.forecast.scenario;
    const std::array<std::pair<const char*, std::int64_t>, 3> numbers = {
        {{"workload.sequence", plan.workload.sequence},
         {"workload.global_batch", plan.workload.globalBatch},
         {"layout.micro_batch", plan.layout.microBatch}}};
    for (const auto& [path, value] : numbers) {
        const std::string key = path;
        const JsonValue* const part = root.find(key.substr(0, key.find('.')));
        if (part == nullptr || part->find(key.substr(key.find('.') + 1)) == nullptr) {
            FABRICAST_ASSIGN(
                root,
                build.with(std::move(root), path, build.integer(value, std::to_string(value))));
            filledIn.push_back(key + "=" + std::to_string(value));
        }
    }
    return root;
}

/// What of saving the files say otherwise than the plan. What they cannot say was said.
void addSavingDifferences(const Emitted& emitted,
                          const JsonValue& root,
                          std::vector<std::string>& differs) {
    if (!emitted.saved) {
        return;
    }
    const JsonValue* const operation = root.find("operation");
    const auto read = [operation](const char* key) {
        const JsonValue* const value = operation == nullptr ? nullptr : operation->find(key);
        return value == nullptr ? std::string("nothing") : value->text().value_or("nothing");
    };
    const SavedStates& saved = *emitted.saved;
    const bool held = saved.heldSteps > 0;
    const std::int64_t steps = held ? saved.heldSteps : saved.steps;
    const std::array<std::pair<std::string, std::string>, 2> said = {
        {{"checkpoint",
          held                 ? "two_level"
          : saved.inBackground ? "async"
                               : "sync"},
         {"checkpoint_interval", std::to_string(steps) + " steps"}}};
    for (const auto& [key, planned] : said) {
        if (const std::string found = read(key.c_str()); found != planned) {
            differs.push_back("operation." + key + ": " + planned + " in the plan, " + found +
                              " in the files");
        }
    }
}

struct ReadBack {
    Scenario scenario;
    JsonValue root;
    std::vector<std::string> filledIn;
};

Result<ReadBack> readBack(const Emitted& emitted,
                          const Question& question,
                          const Workbench& bench) {
    const KnownTexts texts = emittedTexts(emitted);
    Folders folders = question.folders;
    folders.known = texts;
    folders.file = "";
    FABRICAST_ASSIGN(const Question read, parseQuestion(*texts->at(kStart), kStart, folders));
    std::vector<std::string> filledIn;
    FABRICAST_ASSIGN(JsonValue root, completed(read.root, emitted, question, filledIn));
    FABRICAST_ASSIGN(LoadedScenario loaded, loadScenario(root, bench.profiles(), question.folders));
    return ReadBack{std::move(loaded.scenario), std::move(root), std::move(filledIn)};
}

/// What is asked, in the words that launch files have for it.
std::vector<ScenarioInput> plainInputs(Scenario scenario) {
    scenario.layout = plainLayout(scenario);
    return scenarioInputs(scenario);
}

/// Keys that differ; those that were said to be lacking in the files are filled in.
void addDifferences(const Emitted& emitted, const Scenario& read, EmittedCheck& check) {
    const std::vector<ScenarioInput> planned = plainInputs(emitted.forecast.scenario);
    const std::vector<ScenarioInput> found = plainInputs(read);
    for (const ScenarioInput& one : planned) {
        const auto same = std::ranges::find(found, one.key, &ScenarioInput::key);
        const bool isUntold = std::ranges::any_of(emitted.launch.untold, [&one](const auto& line) {
            return line.starts_with(one.key + "=");
        });
        // Bridge and NeMo start plans of both, and their files do not say whose they are.
        const bool isBridge =
            one.key == "stack" && (emitted.target == "megatron-bridge" || emitted.target == "nemo");
        if (same == found.end() || same->value == one.value || isBridge) {
            continue;
        }
        if (isUntold) {
            check.filledIn.push_back(one.key + "=" + one.value);
        } else {
            check.differs.push_back(one.key + ": " + one.value + " in the plan, " + same->value +
                                    " in the files");
        }
    }
}

Result<std::vector<LintFinding>> findingsIn(const Emitted& emitted) {
    const KnownTexts texts = emittedTexts(emitted);
    const auto read = [&texts](const std::string& name) -> Result<std::string> {
        const auto file = texts->find(name);
        return file == texts->end() || !file->second
                   ? Result<std::string>(
                         fail(Error::Code::NotFound, name, "is not among the files"))
                   : Result<std::string>(*file->second);
    };
    FABRICAST_ASSIGN(std::vector<OpenedFile> opened,
                     openLaunchFiles(*texts->at(kStart), kStart, read));
    std::vector<LintFile> files;
    for (OpenedFile& one : opened) {
        if (!one.notOpened.empty()) {
            return fail(Error::Code::NotFound, one.keys.source(), one.notOpened);
        }
        files.emplace_back(std::move(one));
    }
    const Scenario& plan = emitted.forecast.scenario;
    return lint(files,
                {.gpus = plan.cluster.gpus(),
                 .gpusPerNode = plan.cluster.node.gpus,
                 .layerClass = std::string(blockClassOf(plan.model))});
}

}  // namespace

Result<void> checkStarts(const Emitted& emitted) {
    const Result<std::vector<LintFinding>> findings = findingsIn(emitted);
    if (!findings) {
        return {};  // what cannot be looked at is said by the check
    }
    const auto found = std::ranges::find(*findings, LintSeverity::Error, &LintFinding::severity);
    return found == findings->end()
               ? Result<void>()
               : fail(Error::Code::Unsupported,
                      "--target",
                      emitted.target + " " + emitted.version +
                          " would not start this plan: " + found->where + ": " + found->what +
                          " (" + found->code + "). " + found->why,
                      found->fix);
}

EmittedCheck checkEmitted(const Emitted& emitted,
                          const Question& question,
                          const Workbench& bench) {
    EmittedCheck check;
    if (Result<std::vector<LintFinding>> findings = findingsIn(emitted)) {
        check.findings = *std::move(findings);
    }
    Result<ReadBack> read = readBack(emitted, question, bench);
    if (read) {
        check.filledIn = std::move(read->filledIn);
        addDifferences(emitted, read->scenario, check);
        addSavingDifferences(emitted, read->root, check.differs);
    } else {
        check.notRead = read.error().text();
    }
    return check;
}

}  // namespace fabricast
