#include "planner/launch/deepspeed_names.h"
#include "planner/launch/hugging_face_arguments.h"
#include "planner/launch/import_hugging_face.h"
#include "planner/launch/import_launch.h"
#include "planner/launch/import_settings.h"
#include "planner/launch/import_trainers.h"
#include "planner/launch/made_config.h"
#include "planner/launch/made_model.h"
#include "planner/launch/opened_framework.h"
#include "planner/launch/own_loop.h"
#include "planner/launch/parsed_arguments.h"
#include "planner/launch/scenario_draft.h"
#include "planner/launch/started_ranks.h"
#include "planner/launch/trl.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 2> kUnmodelledByTrainer = {"--tp_size",
                                                                  "--ensure_weight_tying"};

constexpr std::array<std::string_view, 3> kBatchKeys = {
    "train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"};

/// Whether products are of bf16 beside weights of any type, as a file or an argument says, or
/// nothing does: the default of the stack.
bool isAutocast(const JsonValue& scenario) {
    const JsonValue* const workload = scenario.find("workload");
    const JsonValue* const said = workload == nullptr ? nullptr : workload->find("precision");
    return said == nullptr || said->text() == "bf16";
}

/// Without a launcher Trainer takes all GPUs that one process sees; under DeepSpeed it takes one.
void importOneProcess(ScenarioDraft& draft, bool isDeepspeed) {
    LaunchKeys& keys = draft.keys();
    const std::string python = oneProcessOf(keys);
    if (python.empty()) {
        return;
    }
    if (isDeepspeed || seesOneGpu(keys)) {
        draft.set("layout.dp",
                  std::int64_t{1},
                  isDeepspeed ? std::string_view(python) : "env CUDA_VISIBLE_DEVICES");
    } else {
        draft.set("imported.one_process", true, python);
    }
}

/// Whether DeepSpeed's file leaves no number of the batch to the Trainer: it is DeepSpeed's run,
/// and the arguments repeat what its file says.
bool saysWholeBatch(const LaunchKeys& config) {
    return std::ranges::all_of(kBatchKeys, [&config](std::string_view path) {
        const LaunchKey* const key = config.find(path);
        return key != nullptr && key->values.size() == 1 && !key->values.front().empty() &&
               key->values.front().find_first_not_of("0123456789") == std::string::npos;
    });
}

/// Whether DeepSpeed's file leaves sizes of its buckets to the Trainer, which makes them of the
/// model's hidden size.
bool leavesBuckets(const LaunchKeys& config) {
    return std::ranges::any_of(config.all(), [](const LaunchKey& key) {
        return key.path.starts_with("zero_optimization.") &&
               key.values == std::vector<std::string>{"auto"};
    });
}

/// torch.compile by an argument of accelerate launch.
Result<void> importLaunchersCompile(ScenarioDraft& draft) {
    FABRICAST_ASSIGN(const LaunchKeys typed, accelerateArguments(draft.keys()));
    const char* const path = "dynamo_config.dynamo_backend";
    const LaunchKey* const key = typed.find(path);
    if (key != nullptr && key->values != std::vector<std::string>{"no"}) {
        draft.keys().append(typed, {path});
        draft.set("settings.kernels.compile", true, path);
    }
    return {};
}

/// Whether a program is read without the command that starts it, which types its arguments.
bool isWithoutArguments(LaunchKeys& keys) {
    const bool parses = keys.use(kParsesArguments) != nullptr;
    (void)keys.use(kParsedFields);
    (void)keys.use(kOwnParser);
    return parses && std::ranges::none_of(keys.all(), [](const LaunchKey& key) {
               return key.path.starts_with("--") && !key.file.empty() && !key.file.ends_with(".py");
           });
}

/// Says what is not known of the program itself.
void noteProgram(const OpenedFile& file, ScenarioDraft& draft) {
    if (!file.unreadProgram.empty()) {
        draft.note(file.unreadProgram + " was not read: what it does with the model is not known");
    }
    if (isWithoutArguments(draft.keys())) {
        draft.note(
            "the arguments that the program parses are as it has them where none is typed: the "
            "script that starts it may say others");
    }
}

/// Arguments that change no forecast, by how they begin.
const std::vector<std::string_view>& harmlessToTrainer() {
    static const std::vector<std::string_view> keys = {"torchrun",
                                                       "script",
                                                       "--output_dir",
                                                       "--cache_dir",
                                                       "--dataset",
                                                       "--data_",
                                                       "--learning_rate",
                                                       "--lr_",
                                                       "--weight_decay",
                                                       "--warmup",
                                                       "--adam_",
                                                       "--max_steps",
                                                       "--max_grad_norm",
                                                       "--num_train_epochs",
                                                       "--logging",
                                                       "--log_",
                                                       "--save",
                                                       "--eval",
                                                       "--per_device_eval",
                                                       "--prediction_loss_only",
                                                       "--batch_eval_metrics",
                                                       "--compute_metrics",
                                                       "--preprocess_logits",
                                                       "--do_",
                                                       "--report_to",
                                                       "--run_name",
                                                       "--seed",
                                                       "--ddp_",
                                                       "--dataloader",
                                                       "--preprocessing",
                                                       "--push_to_hub",
                                                       "--hub",
                                                       "--tf32",
                                                       "--remove_unused",
                                                       "--overwrite",
                                                       "--trust_remote_code",
                                                       "--torch_dtype",
                                                       "--dtype",
                                                       "--template",
                                                       "--bf16_full_eval",
                                                       "--fsdp_transformer",
                                                       "--packing",
                                                       "--neftune_noise_alpha",
                                                       "--deepspeed"};
    return keys;
}

}  // namespace

Result<JsonValue> importTrainer(OpenedFile& file, const ImportContext& context) {
    if (file.refusedProgram) {
        return tl::unexpected(*file.refusedProgram);
    }
    LaunchKeys& keys = file.keys;
    if (keys.has(kOwnLoop)) {
        return importOwnLoop(file, context);
    }
    ScenarioDraft draft(keys);
    noteProgram(file, draft);
    bool isDeepspeeds = false;
    bool hasOptimizer = false;  // DeepSpeed's file has one, which Trainer takes
    draft.set("stack", "accelerate", "script");
    (void)keys.use(kTrlKey);
    (void)keys.use("--config");
    if (const auto model = keys.text("--model_name_or_path")) {
        draft.set("model", *model, "--model_name_or_path");
    }
    FABRICAST_TRY(importMadeConfig(draft));
    FABRICAST_TRY(refusePreferenceTrainer(keys));
    FABRICAST_TRY(draft.refuseUnmodelled(kUnmodelledByTrainer));
    FABRICAST_ASSIGN(std::optional<OpenedFile> typed, typedAccelerateFile(keys));
    LaunchKind readKind = LaunchKind::Trainer;  // whose file it reads beside its own arguments
    const bool isInside = file.names.empty() && keys.text("--deepspeed");
    if (isInside) {
        FABRICAST_ASSIGN(const LaunchKeys typedConfig, configOf(keys, "--deepspeed", context));
        LaunchKeys config = deepspeedKeysOf(typedConfig);
        readKind = LaunchKind::Deepspeed;
        hasOptimizer = config.has("optimizer.type");
        FABRICAST_ASSIGN(const JsonValue scenario, importDeepspeed(config));
        draft.merge(scenario);
    } else if (file.names.empty() && typed) {
        readKind = LaunchKind::Accelerate;
        FABRICAST_ASSIGN(const JsonValue scenario, importFile(*typed, context));
        draft.merge(scenario);
        draft.takeNotes(scenario);
    } else if (file.names.empty()) {
        FABRICAST_TRY(importTrainerFsdp(draft, context));
        FABRICAST_TRY(importLaunchersCompile(draft));
    } else {
        FABRICAST_ASSIGN(OpenedFile named, openNamed(file, context.read));
        readKind = named.kind;
        const bool isConfig = readKind == LaunchKind::Deepspeed ||
                              readKind == LaunchKind::Accelerate || file.namedBy == kConfigOfTrl;
        if (!isConfig) {
            return keys.refuse(*keys.find(file.namedBy),
                               file.names + ": is no file of DeepSpeed or Accelerate",
                               "deepspeed.json or accelerate.yaml");
        }
        if (readKind == LaunchKind::Accelerate) {
            named.keys.append(keys, {"torchrun "});
        } else if (readKind == LaunchKind::Deepspeed) {
            named.keys.append(keys, {"--gradient_checkpointing"});  // which its file leaves to it
            isDeepspeeds = saysWholeBatch(named.keys) && !leavesBuckets(named.keys);
            hasOptimizer = named.keys.has("optimizer.type");
        }
        FABRICAST_ASSIGN(const JsonValue scenario, importFile(named, context));
        draft.merge(scenario);
        draft.takeNotes(scenario);
        if (isDeepspeeds) {
            draft.set("stack", "deepspeed", file.namedBy);
        }
    }
    FABRICAST_ASSIGN(const std::optional<StartedRanks> ranks, startedRanks(draft));
    const bool byAccelerate = readKind == LaunchKind::Accelerate;
    if (ranks && readKind == LaunchKind::Deepspeed) {
        FABRICAST_TRY(setDataRanks(draft, ranks->count, ranks->from));
    } else if (ranks && !byAccelerate) {  // which divides them itself
        draft.set("layout.dp", ranks->count, ranks->from);
    }
    if (!ranks && !byAccelerate) {
        importOneProcess(draft, readKind == LaunchKind::Deepspeed);
    }
    FABRICAST_TRY(importDeviceMap(draft, ranks ? std::optional(ranks->count) : std::nullopt));
    FABRICAST_TRY(importTrainerBatch(draft));
    FABRICAST_TRY(importTrainerPrecision(draft, byAccelerate || isDeepspeeds));
    FABRICAST_TRY(importMadeModel(draft));
    FABRICAST_TRY(importPeft(draft));
    // DeepSpeed casts what is trained, and keeps fp32 beside it, whatever is loaded.
    if (readKind != LaunchKind::Deepspeed || keys.has("--use_peft")) {
        FABRICAST_TRY(importLoadedWeights(draft, isAutocast(draft.scenario())));
    }
    FABRICAST_TRY(importKbitPreparation(draft));
    FABRICAST_TRY(importChangedModel(draft, context));
    if (hasOptimizer) {
        (void)keys.use("--optim");
    } else {
        FABRICAST_TRY(importTrainerOptimizer(draft, "--optim"));
    }
    if (const LaunchKey* const given = keys.use(kUnreadOptimizer)) {
        draft.leaveOpen("workload.optimizer",
                        *given,
                        "optimizers: which one the program gives its Trainer was not read",
                        "--optimizer adamw, or optim= of TrainingArguments in its place");
    }
    FABRICAST_TRY(importTrainerSaving(draft, "--"));
    FABRICAST_TRY(importTrainerEvaluation(draft));
    if (keys.text("env FSDP_STATE_DICT_TYPE") == "FULL_STATE_DICT") {
        noteFullCheckpoint(draft, "FSDP_STATE_DICT_TYPE=FULL_STATE_DICT");
    }
    return draft.finish("Hugging Face Trainer", harmlessToTrainer());
}

}  // namespace fabricast
