#include "planner/launch/import_launch.h"

#include "planner/launch/deepspeed_experts.h"
#include "planner/launch/hugging_face_arguments.h"
#include "planner/launch/opened_framework.h"
#include "planner/launch/own_words.h"
#include "planner/launch/scenario_draft.h"
#include "planner/launch/started_ranks.h"
#include "planner/launch/torchtune.h"
#include "planner/text/json_builder.h"
#include "planner/text/json_strings.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

std::int64_t numberAt(const JsonValue& scenario, const char* key) {
    const JsonValue* const layout = scenario.find("layout");
    const JsonValue* const value = layout == nullptr ? nullptr : layout->find(key);
    return value == nullptr ? std::int64_t{0} : value->integer({}).value_or(0);
}

/// Processes that the first file counts as data ranks, and the other one puts together.
Result<void> divideRanks(ScenarioDraft& draft, const JsonValue& first, const JsonValue& added) {
    const std::int64_t ranks = numberAt(first, "dp");
    const auto addedTo = [&](const char* key) {  // what both say was divided by
        return numberAt(first, key) > 1 ? 1 : std::max<std::int64_t>(1, numberAt(added, key));
    };
    const std::int64_t together = addedTo("tp") * addedTo("cp");
    if (ranks == 0) {
        return {};
    }
    if (ranks % together != 0) {
        return fail(Error::Code::BadInput,
                    draft.keys().source(),
                    std::to_string(ranks) + " processes are not a multiple of the " +
                        std::to_string(together) + " that DeepSpeed's file puts together",
                    "num_processes: a multiple of " + std::to_string(together));
    }
    FABRICAST_TRY(checkDataRanks(added, ranks / together));
    if (together > 1) {
        draft.set("layout.dp", ranks / together, "num_processes");
    }
    return {};
}

/// What DeepSpeed's own file adds to one that names it.
Result<JsonValue> withDeepspeed(JsonValue run,
                                const std::string& framework,
                                OpenedFile& file,
                                const ImportContext& context) {
    if (file.names.empty()) {
        return run;
    }
    FABRICAST_ASSIGN(OpenedFile other, openNamed(file, context.read));
    if (other.kind != LaunchKind::Deepspeed) {
        return file.keys.refuse(*file.keys.find(file.namedBy),
                                file.names + ": is no file of DeepSpeed",
                                "the JSON that DeepSpeed reads");
    }
    FABRICAST_ASSIGN(const JsonValue added, importDeepspeed(other.keys));
    ScenarioDraft draft(file.keys);
    draft.merge(run);
    draft.merge(added);
    FABRICAST_TRY(divideRanks(draft, run, added));
    draft.takeNotes(run);
    draft.takeNotes(added);
    return draft.finish(framework, {""});
}

/// Arguments of the script itself, where the file that it reads has no key for it.
void addScriptsArguments(const LaunchKeys& script, OpenedFile& named) {
    if (named.kind == LaunchKind::Deepspeed || named.kind == LaunchKind::Accelerate) {
        named.keys.append(script,
                          {"--pipeline-parallel-size",
                           "--optim",
                           "--model_name_or_path",
                           "--max_length",
                           "--max_seq_length",
                           "--gradient_checkpointing",
                           "--use_peft",
                           "--lora_",
                           "--load_in_",
                           "--use_dora",
                           "--use_bnb_",
                           "--bnb_",
                           "--use_liger",
                           "--liger_",
                           "--save_st",
                           "--dtype"});
        appendExpertArguments(script, named.keys);
    }
}

/// Accelerate's file beside Axolotl's: it may say how many processes there are. What else it says
/// would hold as well, wherever Axolotl's own says nothing.
Result<void> addLauncherOfAxolotl(const OpenedFile& script,
                                  OpenedFile& named,
                                  const ImportContext& context) {
    OpenedFile start = script;
    if (named.kind != LaunchKind::Axolotl) {
        return {};
    }
    FABRICAST_ASSIGN(const std::optional<OpenedFile> typed, typedAccelerateFile(script.keys));
    const LaunchKey* const how = typed ? typed->keys.find("distributed_type") : nullptr;
    const bool isItsOwn =
        how != nullptr &&
        named.keys.has(how->values.front() == "FSDP" ? "fsdp_config" : "deepspeed");
    if (typed && !isItsOwn) {
        const LaunchKey type = *how;
        return typed->keys.refuse(
            type,
            type.values.front() + " of accelerate launch beside Axolotl's own file is not read",
            "fsdp_config or deepspeed in " + script.names);
    }
    const LaunchKey* const config = script.keys.find(kConfigOfAccelerate);
    if (config == nullptr || config->values.size() != 1) {
        return {};
    }
    start.names = config->values.front();
    start.namedBy = config->path;
    FABRICAST_ASSIGN(const OpenedFile launcher, openNamed(start, context.read));
    const LaunchKey* const type = launcher.keys.find("distributed_type");
    const std::string said = type == nullptr || type->values.empty() ? "" : type->values.front();
    if (launcher.kind != LaunchKind::Accelerate || said == "FSDP" || said == "DEEPSPEED") {
        return type == nullptr
                   ? fail(Error::Code::BadInput, launcher.keys.source(), "is no file of Accelerate")
                   : launcher.keys.refuse(*type,
                                          said + " beside Axolotl's own file is not read",
                                          "fsdp_config or deepspeed in " + script.names);
    }
    LaunchKeys processes(launcher.keys.source());
    if (const LaunchKey* const count = launcher.keys.find("num_processes");
        count != nullptr && !script.keys.has("torchrun --num_processes")) {
        LaunchKey key = *count;
        key.path = "torchrun --num_processes";
        processes.add(std::move(key));
    }
    named.keys.append(processes, {""});
    return {};
}

/// What is assumed, by the keys that it is about.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the keys of a scenario
JsonValue inWordsOf(const OpenedFile& file, const JsonValue& assumed) {
    const JsonBuilder build(file.keys.source());
    if (const Result<std::string> text = assumed.text()) {
        return build.string(inOwnWords(file, *text));
    }
    JsonValue all = build.object();
    for (const JsonValue& one : assumed.members()) {
        JsonBuilder::appendMember(all, build.string(one.name()), inWordsOf(file, one));
    }
    return all;
}

/// Notes of a run in the words of its file.
Result<JsonValue> withNotesInWordsOf(const OpenedFile& file, JsonValue run) {
    const JsonBuilder build(file.keys.source());
    const JsonValue* const imported = run.find("imported");
    const JsonValue* const notes = imported == nullptr ? nullptr : imported->find("notes");
    if (notes != nullptr) {
        JsonValue said = build.array();
        for (const std::string& note : stringsIn(notes)) {
            JsonBuilder::appendItem(said, build.string(inOwnWords(file, note)));
        }
        FABRICAST_ASSIGN(run, build.with(std::move(run), "imported.notes", std::move(said)));
    }
    const JsonValue* const assumed = imported == nullptr ? nullptr : imported->find("assumed");
    if (assumed == nullptr) {
        return run;
    }
    return build.with(std::move(run), "imported.assumed", inWordsOf(file, *assumed));
}

/// What is said of Megatron's arguments, in the words of the file that has them.
Result<JsonValue> inWordsOf(const OpenedFile& file, Result<JsonValue> run) {
    if (run) {
        return withNotesInWordsOf(file, *std::move(run));
    }
    const Error& error = run.error();
    return fail(error.code, error.where, inOwnWords(file, error.why), inOwnWords(file, error.hint));
}

/// Why a program that is there is not read; else that nobody knows what it is.
tl::unexpected<Error> unknownProgram(LaunchKeys& keys, const std::optional<Error>& unread) {
    if (unread && unread->code != Error::Code::NotFound) {
        return tl::unexpected(*unread);
    }
    const std::string script = keys.text("script").value_or("");
    const LaunchKey* const at = keys.use("script");
    const bool isMissing = unread && !script.empty();
    return fail(
        Error::Code::BadInput,
        at == nullptr ? keys.source() : keys.where(*at),
        isMissing
            ? script + " is not there, and what it trains with is not known"
            : "the framework of " + (script.empty() ? "these arguments" : script) + " is not known",
        isMissing ? "the program beside this file or in a folder above it, or the file that it "
                    "reads: deepspeed.json, accelerate.yaml, …"
                  : "the file that it reads: deepspeed.json, accelerate.yaml, …");
}

/// A script that starts a file of another kind.
Result<JsonValue> importScript(OpenedFile& file, const ImportContext& context) {
    FABRICAST_TRY(checkTuneRecipe(file.keys));
    std::optional<Error> unread;
    if (!file.names.empty()) {
        Result<OpenedFile> named = openNamed(file, context.read);
        if (named && file.namedBy != "starts" && file.namedBy != "--config" &&
            !namesProgram(file)) {
            named->keys.append(file.keys, {"torchrun ", "sbatch ", "srun ", "mpirun ", "env "});
            addScriptsArguments(file.keys, *named);
        }
        if (named) {
            FABRICAST_TRY(addLauncherOfAxolotl(file, *named, context));
            std::optional<OpenedFile> program = programBeside(file, *named, context.read);
            const bool parses = !program && namesProgram(file) && parsesItself(*named);
            FABRICAST_ASSIGN(JsonValue run, importFile(program ? *program : *named, context));
            return parses ? withIdleArguments(std::move(run), file, context)
                          : Result<JsonValue>(std::move(run));
        }
        unread = named.error();
        if (!namesProgram(file)) {
            return tl::unexpected(*unread);
        }
    }
    FABRICAST_ASSIGN(std::optional<OpenedFile> typed, typedAccelerateFile(file.keys));
    if (typed) {  // of a program that is not read, as beside a file
        typed->keys.append(file.keys, {"torchrun ", "sbatch ", "srun ", "mpirun ", "env "});
        addScriptsArguments(file.keys, *typed);
        return importFile(*typed, context);
    }
    if (const LaunchKey* const recipe = file.keys.find(kTuneKey)) {
        return file.keys.refuse(*recipe, "names no config", "--config CONFIG.yaml");
    }
    return unknownProgram(file.keys, unread);
}

/// Without its script, which says what is recomputed.
Result<JsonValue> importDeepspeedAlone(LaunchKeys& keys) {
    FABRICAST_ASSIGN(const JsonValue run, importDeepspeed(keys));
    ScenarioDraft draft(keys);
    draft.merge(run);
    draft.takeNotes(run);
    if (!keys.has("--gradient_checkpointing")) {
        draft.assume("layout.recompute",
                     "recomputation is not said here: taken as none (--layout recompute=full where "
                     "the program calls model.gradient_checkpointing_enable())");
    }
    return draft.finish("deepspeed", {""});
}

}  // namespace

Result<JsonValue> importFile(OpenedFile& file, const ImportContext& context) {
    if (const LaunchKey* const second = file.keys.find(kSecondTraining)) {
        return fail(Error::Code::BadInput,
                    file.keys.where(*second),
                    second->values.front() + " is started beside the training of line " +
                        second->values.back() + ", and one training is forecast",
                    "a script with one of them, or the other in a comment");
    }
    if (const LaunchKey* const open = file.keys.find(kOpenArguments)) {
        return fail(Error::Code::BadInput,
                    file.keys.where(*open),
                    open->values.front() + " is set in a branch (" + open->values.back() +
                        "), and whether it is was not read",
                    "its value, or none, in its place");
    }
    switch (file.kind) {
        case LaunchKind::Megatron:
            return inWordsOf(file, importMegatron(file, context));
        case LaunchKind::Titan:
            return importTitan(file.keys, context);
        case LaunchKind::Deepspeed:
            return importDeepspeedAlone(file.keys);
        case LaunchKind::Accelerate: {
            FABRICAST_ASSIGN(JsonValue run, importAccelerate(file.keys));
            return withDeepspeed(std::move(run), "accelerate", file, context);
        }
        case LaunchKind::Axolotl: {
            FABRICAST_ASSIGN(JsonValue run, importAxolotl(file.keys, context));
            return withDeepspeed(std::move(run), "axolotl", file, context);
        }
        case LaunchKind::Trainer:
            return importTrainer(file, context);
        case LaunchKind::Torch:
            return importTorch(file.keys, context);
        case LaunchKind::Tune:
            return importTune(file.keys, context);
        case LaunchKind::Script:
            break;
    }
    return importScript(file, context);
}

Result<JsonValue> importLaunch(std::string_view text,
                               const std::string& source,
                               const ImportContext& context) {
    FABRICAST_ASSIGN(OpenedFile file, openFirst(text, source, context.read));
    return importFile(file, context);
}

}  // namespace fabricast
