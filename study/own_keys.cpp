#include "planner/launch/launch_files.h"
#include "planner/launch/launch_targets.h"
#include "planner/launch/liger_kernels.h"
#include "planner/launch/own_words.h"
#include "planner/launch/parsed_arguments.h"
#include "planner/load/load_question.h"
#include "study/flag_words.h"
#include "study/launch_lint.h"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr const char* kScript = "run.sh";
constexpr std::string_view kEvaluationBatch = "settings.phases.evaluation_batch";

/// More keys than a person would read behind "Fix:".
constexpr std::size_t kMostOwnKeys = 8;

/// What arguments of the Trainer say of a change, which no file that is written does.
struct TrainerWords {
    std::string_view path;
    std::string_view value;  ///< empty: any, which is typed as it is
    std::string_view argument;
    std::string_view typed;
};
/// Liger's kernels have arguments of their own: which of them are on is one.
constexpr std::array kTrainerWords = {
    TrainerWords{"layout.recompute", "full", "--gradient_checkpointing", "true"},
    TrainerWords{"settings.kernels.compile", "true", "--torch_compile", "true"},
    TrainerWords{"settings.precision.tf32", "true", "--tf32", "true"},
    TrainerWords{"workload.optimizer", "adamw_8bit", "--optim", "adamw_bnb_8bit"},
    TrainerWords{"workload.optimizer", "paged_adamw_8bit", "--optim", "paged_adamw_8bit"},
    TrainerWords{"settings.lora.base", "bf16", "--dtype", "bfloat16"},
    TrainerWords{kEvaluationBatch, "", "--per_device_eval_batch_size", ""},
    TrainerWords{"settings.phases.kept_logits", "0", "--prediction_loss_only", "true"}};

/// The file that a person would change, by the target that is written for its framework.
struct OwnFile {
    const OpenedFile& file;
    std::string target;
    std::string version{};  ///< empty: the newest
};

std::optional<OwnFile> ownFile(std::span<const OpenedFile> files) {
    for (const OpenedFile& one : files) {
        switch (one.kind) {
            case LaunchKind::Megatron:
                return OwnFile{one, "megatron"};
            case LaunchKind::Titan:
                return OwnFile{
                    one, "torchtitan", one.keys.source().ends_with(".toml") ? "0.2.2" : ""};
            case LaunchKind::Deepspeed:
                return OwnFile{one, "deepspeed"};
            case LaunchKind::Accelerate:
                return OwnFile{one, "accelerate"};
            case LaunchKind::Axolotl:
                return OwnFile{one, "axolotl"};
            case LaunchKind::Trainer:
            case LaunchKind::Tune:
                return OwnFile{one, ""};
            case LaunchKind::Torch:
            case LaunchKind::Script:
                break;
        }
    }
    return std::nullopt;
}

/// A framework's file as it is written, and its keys.
struct WrittenFile {
    LaunchKeys keys;
    std::string text;
};

/// The file of a framework that starts this question.
Result<WrittenFile> writtenFile(const Question& question,
                                const OwnFile& own,
                                const Workbench& bench) {
    FABRICAST_ASSIGN(LoadedScenario loaded,
                     loadScenario(question.root, bench.profiles(), question.folders));
    const std::string stack = own.target == "megatron" ? loaded.scenario.stack : own.target;
    FABRICAST_ASSIGN(const LaunchTarget* target,
                     findLaunchTarget(stack == "nemo" ? "megatron" : stack));
    loaded.scenario.stack = std::string(target->stack);
    FABRICAST_ASSIGN(
        const LaunchFiles files,
        launchFiles(*target,
                    {.scenario = loaded.scenario,
                     .version = own.version.empty() ? std::string(target->newest) : own.version,
                     .loadFrom = "model",
                     .about = {}}));
    const auto read = [&files](const std::string& name) -> Result<std::string> {
        const auto file = std::ranges::find(files.files, name, &LaunchFile::name);
        return file == files.files.end()
                   ? Result<std::string>(fail(Error::Code::NotFound, name, ""))
                   : Result<std::string>(file->text);
    };
    FABRICAST_ASSIGN(const std::string script, read(kScript));
    FABRICAST_ASSIGN(std::vector<OpenedFile> opened, openLaunchFiles(script, kScript, read));
    for (OpenedFile& one : opened) {
        if (one.kind == own.file.kind) {
            return WrittenFile{one.keys, read(one.keys.source()).value_or("")};
        }
    }
    return fail(Error::Code::NotFound, own.target, "");
}

bool isOfLauncher(const std::string& path) {
    return path.find(' ') != std::string::npos || path == "script" || path.starts_with("$");
}

/// A key of YAML's top level as it stands in the written file: a list of one has its brackets.
std::string saidKey(const LaunchKey& key, const WrittenFile& written, const OwnFile& own) {
    const bool isYaml = written.keys.source().ends_with(".yaml");
    if (!isYaml || key.column != 1 || key.path.find('.') != std::string::npos) {
        return writtenKey(own.file, key);
    }
    std::istringstream lines(written.text);
    std::string line;
    for (std::int64_t i = 0; i < key.line; ++i) {
        std::getline(lines, line);
    }
    return line;
}

/// Whether keys stand in braces, together with others of their section.
bool hasSections(const OwnFile& own, const std::vector<LaunchKey>& keys) {
    const std::string& source = own.file.keys.source();
    const bool isYaml = source.ends_with(".yaml") || source.ends_with(".yml");
    const bool isNested = std::ranges::any_of(
        keys, [](const LaunchKey& key) { return key.path.find('.') != std::string::npos; });
    return source.ends_with(".json") || (isYaml && isNested);
}

std::string ownDifference(const WrittenFile& before, const WrittenFile& after, const OwnFile& own) {
    std::vector<std::string> said;
    std::vector<LaunchKey> changed;
    for (const LaunchKey& key : after.keys.all()) {
        const LaunchKey* const was = before.keys.find(key.path);
        const bool isSame = was != nullptr && was->values == key.values;
        if (!isSame && !isOfLauncher(key.path)) {
            changed.push_back(key);
            said.push_back(saidKey(key, after, own));
        }
    }
    if (changed.size() > 1 && hasSections(own, changed)) {
        said.assign(1, writtenInMaps(own.file, changed));
    }
    for (const LaunchKey& key : before.keys.all()) {
        // What the file does not say need not be taken out of it.
        const bool isThere = own.file.keys.has(key.path);
        if (isThere && !after.keys.has(key.path) && !isOfLauncher(key.path)) {
            said.push_back("without " + inOwnWords(own.file, key.path));
        }
    }
    std::string text;
    for (const std::string& one : said) {
        text += (text.empty() ? "" : ", ") + one;
    }
    return std::max(said.size(), changed.size()) > kMostOwnKeys ? "" : text;
}

using TrainerArgument = std::pair<std::string, std::string>;

/// The Trainer's micro-batch beside as many of them as keep the batch.
std::vector<TrainerArgument> trainersBatch(const Question& changed,
                                           const std::string& samples,
                                           const Workbench& bench) {
    const Result<LoadedScenario> loaded =
        loadScenario(changed.root, bench.profiles(), changed.folders);
    if (!loaded) {
        return {};
    }
    return {{"--per_device_train_batch_size", samples},
            {"--gradient_accumulation_steps", std::to_string(accumulationOf(loaded->scenario))}};
}

/// Those of Liger's kernels that the changed question has; all that there are need one argument.
std::vector<TrainerArgument> trainersLiger(const Question& changed, const Workbench& bench) {
    const Result<LoadedScenario> loaded =
        loadScenario(changed.root, bench.profiles(), changed.folders);
    if (!loaded) {
        return {};
    }
    std::vector<TrainerArgument> arguments = {{"--use_liger_kernel", "true"}};
    if (std::string config = ligerConfig(loaded->scenario); !config.empty()) {
        arguments.emplace_back("--liger_kernel_config", std::move(config));
    }
    return arguments;
}

/// What the Trainer calls the edits; nothing where it has no argument for one.
std::vector<TrainerArgument> trainersArguments(const Question& question,
                                               std::span<const Edit> edits,
                                               const Workbench& bench) {
    const Result<Question> changed = with(question, edits);
    if (!changed) {
        return {};
    }
    std::vector<TrainerArgument> arguments;
    bool saysLiger = false;
    for (const Edit& edit : edits) {
        if (edit.path == "workload.global_batch") {
            continue;  // held at what it is
        }
        const bool isLiger = edit.path.starts_with("settings.kernels.") && edit.value == "liger";
        if (isLiger && std::exchange(saysLiger, true)) {
            continue;  // with the first of them
        }
        if (isLiger || edit.path == "layout.micro_batch") {
            const auto said = isLiger ? trainersLiger(*changed, bench)
                                      : trainersBatch(*changed, edit.value, bench);
            if (said.empty()) {
                return {};
            }
            arguments.insert(arguments.end(), said.begin(), said.end());
            continue;
        }
        const auto* const found = std::ranges::find_if(kTrainerWords, [&](const auto& one) {
            return one.path == edit.path && (one.value.empty() || one.value == edit.value);
        });
        if (found == kTrainerWords.end()) {
            return {};
        }
        arguments.emplace_back(found->argument,
                               found->value.empty() ? edit.value : std::string(found->typed));
    }
    return arguments;
}

/// A value as a program, YAML or a command line has it.
std::string trainersValue(const std::string& value, bool isTyped, bool isYaml) {
    const bool isMap = value.starts_with("{");
    if (!isTyped) {
        const bool isNumber = value.find_first_not_of("0123456789") == std::string::npos;
        return value == "true" ? "True" : isNumber || isMap ? value : quotedText(value);
    }
    std::string text = value;
    for (std::size_t at = isMap ? text.find("False") : std::string::npos; at != std::string::npos;
         at = text.find("False", at)) {
        text[at] = 'f';
    }
    return isMap && !isYaml ? "'" + text + "'" : text;
}

/// Of the Trainer: only where its arguments say every edit.
std::string trainersWords(const OpenedFile& file, std::span<const TrainerArgument> arguments) {
    const std::string& source = file.keys.source();
    const bool isYaml = source.ends_with(".yaml") || source.ends_with(".yml");
    const bool isTyped = isTypedIn(file.keys);
    std::string text;
    for (const auto& [argument, value] : arguments) {
        const std::string said = trainersValue(value, isTyped, isYaml);
        const std::string name = argument.substr(2);
        text += text.empty() ? "" : ", ";
        text += !isTyped ? name + "=" + said : isYaml ? name + ": " + said : argument + " " + said;
    }
    return text;
}

/// The question on the hardware of the changed one, which the file says nothing of unless it says
/// how many ranks there are: what follows from it is no change of the file.
Result<Question> onItsHardware(const Question& question, std::span<const Edit> edits) {
    std::vector<Edit> hardware(edits.begin(), edits.end());
    std::erase_if(hardware, [](const Edit& edit) { return !edit.path.starts_with("cluster."); });
    const bool saysRanks = says(question, "layout.dp") || says(question, "imported.gpus");
    return saysRanks ? Result<Question>(question) : with(question, hardware);
}

/// Of Axolotl's files, none of which is written with an evaluation.
std::string axolotlEvaluation(const OwnFile& own, std::span<const Edit> edits) {
    const auto batch = std::ranges::find(edits, kEvaluationBatch, &Edit::path);
    return own.file.kind == LaunchKind::Axolotl && batch != edits.end()
               ? "eval_batch_size: " + batch->value
               : "";
}

}  // namespace

std::string ownKeysOf(std::span<const OpenedFile> files,
                      const Question& question,
                      std::span<const Edit> edits,
                      const Workbench& bench) {
    const std::optional<OwnFile> own = ownFile(files);
    if (!own) {
        return "";
    }
    if (own->file.kind == LaunchKind::Trainer) {
        return trainersWords(own->file, trainersArguments(question, edits, bench));
    }
    const Result<Question> changed = with(question, edits);
    if (!changed) {
        return "";
    }
    if (own->file.kind == LaunchKind::Tune) {
        const Result<LoadedScenario> then =
            loadScenario(changed->root, bench.profiles(), changed->folders);
        return then ? tuneWords(own->file, edits, then->scenario) : "";
    }
    const Result<Question> base = onItsHardware(question, edits);
    const Result<WrittenFile> before =
        base ? writtenFile(*base, *own, bench) : tl::unexpected(base.error());
    const Result<WrittenFile> after = writtenFile(*changed, *own, bench);
    if (!before || !after) {
        return "";
    }
    std::string text = ownDifference(*before, *after, *own);
    if (const std::string evaluation = axolotlEvaluation(*own, edits); !evaluation.empty()) {
        text += (text.empty() ? "" : ", ") + evaluation;
    }
    return text;
}

}  // namespace fabricast
