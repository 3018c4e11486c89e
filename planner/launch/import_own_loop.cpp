#include "planner/launch/deepspeed_names.h"
#include "planner/launch/hugging_face_arguments.h"
#include "planner/launch/import_hugging_face.h"
#include "planner/launch/import_settings.h"
#include "planner/launch/import_trainers.h"
#include "planner/launch/made_config.h"
#include "planner/launch/made_model.h"
#include "planner/launch/opened_framework.h"
#include "planner/launch/own_loop.h"
#include "planner/launch/own_loss.h"
#include "planner/launch/sample_sizes.h"
#include "planner/launch/started_ranks.h"
#include "planner/launch/zeroed_gradients.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

/// Calls that divide a model otherwise, or train it in other types.
constexpr std::array<std::string_view, 15> kUnmodelledInOwnLoops = {"FullyShardedDataParallel",
                                                                    "FSDP",
                                                                    "FSDPModule",
                                                                    "DataParallel",
                                                                    "parallelize_module",
                                                                    "context_parallel",
                                                                    "PipelineStage",
                                                                    "PipelineModule",
                                                                    "convert_to_float8_training",
                                                                    "DistributedOptimizer",
                                                                    "ZeroRedundancyOptimizer",
                                                                    "quantize_",
                                                                    "Accelerator.fsdp_plugin",
                                                                    "Accelerator.deepspeed_plugin",
                                                                    "Accelerator.**"};

Result<void> checkLoop(LaunchKeys& keys) {
    const LaunchKey* const given = keys.find("partial.0");
    if (given != nullptr && given->values == std::vector<std::string>{"fully_shard"}) {
        return keys.refuse(*given,
                           "is fully_shard, whose calls by another name are not read",
                           "fully_shard(layer, mesh=mesh) where each layer is sharded");
    }
    for (const std::string_view call : kUnmodelledInOwnLoops) {
        const LaunchKey* const key = keys.find(call);
        if (key != nullptr && key->values != std::vector<std::string>{"null"}) {
            return keys.refuse(*key,
                               "is not modelled for a loop of its own",
                               call.starts_with("Accelerator")
                                   ? "accelerate.yaml, which accelerate launch reads"
                                   : "a plan of it: fabricast plan");
        }
    }
    return {};
}

/// What a loop may do beside the steps that are forecast.
void noteOtherWork(ScenarioDraft& draft) {
    const LaunchKeys& keys = draft.keys();
    const std::string loss = saidOf(keys, {"kl_div", "log_softmax", "cross_entropy"});
    if (!loss.empty() && keys.find(kOwnLoss) == nullptr) {
        draft.note(loss + "(): a loss of the loop's own was not read, and the model's is forecast");
    }
    if (keys.find("generate") != nullptr) {
        draft.note("generate(): what generating takes beside the training is not counted");
    }
}

/// What else a file says of the run.
struct LoopFile {
    LaunchKind kind = LaunchKind::Trainer;  ///< of none
    bool hasOptimizer = false;
    bool hasBatch = false;
    JsonValue scenario{};
};

LoopFile loopFileOf(LaunchKind kind, const LaunchKeys& keys, JsonValue scenario) {
    return {.kind = kind,
            .hasOptimizer = keys.has("optimizer.type"),
            .hasBatch = keys.has("train_micro_batch_size_per_gpu"),
            .scenario = std::move(scenario)};
}

/// DeepSpeed's configuration, in the program or beside it, or Accelerate's file.
Result<std::optional<LoopFile>> readLoopFile(OpenedFile& file, const ImportContext& context) {
    LaunchKeys& keys = file.keys;
    FABRICAST_ASSIGN(std::optional<OpenedFile> typed, typedAccelerateFile(keys));
    if (file.names.empty() && keys.text("--deepspeed")) {
        FABRICAST_ASSIGN(const LaunchKeys config, configOf(keys, "--deepspeed", context));
        LaunchKeys deepspeed = deepspeedKeysOf(config);
        FABRICAST_ASSIGN(JsonValue scenario, importDeepspeed(deepspeed));
        return loopFileOf(LaunchKind::Deepspeed, deepspeed, std::move(scenario));
    }
    if (file.names.empty() && !typed) {
        return std::optional<LoopFile>();
    }
    std::optional<OpenedFile> named = std::move(typed);
    if (!file.names.empty()) {
        FABRICAST_ASSIGN(named, openNamed(file, context.read));
    }
    if (named->kind != LaunchKind::Deepspeed && named->kind != LaunchKind::Accelerate) {
        return keys.refuse(*keys.find(file.namedBy),
                           file.names + ": is no file of DeepSpeed or Accelerate",
                           "deepspeed.json or accelerate.yaml");
    }
    named->keys.append(keys, {"torchrun ", "--gradient_checkpointing"});
    FABRICAST_ASSIGN(JsonValue scenario, importFile(*named, context));
    return loopFileOf(named->kind, named->keys, std::move(scenario));
}

/// The batches that a loop hands its engine are its DataLoader's, whatever the engine's file says;
/// the engine loads those of training_data itself.
void checkEngineBatch(ScenarioDraft& draft) {
    const LaunchKeys& keys = draft.keys();
    const JsonValue* const said = draft.find("layout.micro_batch");
    const auto loaded = loadedBatch(keys, false);
    const std::int64_t micro = said == nullptr ? 0 : said->integer({}).value_or(0);
    if (micro == 0 || !loaded || !loaded->samples || *loaded->samples == micro ||
        keys.has("initialize.training_data")) {
        return;
    }
    const std::string samples = std::to_string(*loaded->samples);
    draft.leaveOpen("layout.micro_batch",
                    loaded->at,
                    "DataLoader: the loop's batches have " + samples +
                        " samples, and train_micro_batch_size_per_gpu says " +
                        std::to_string(micro),
                    "the same number in both, or --layout micro_batch=" + samples);
}

/// One process has one GPU, unless a launcher starts more of them that know each other.
Result<void> importLoopRanks(ScenarioDraft& draft, LaunchKind kind) {
    LaunchKeys& keys = draft.keys();
    const bool isDivided = kind != LaunchKind::Trainer || keys.has("Accelerator") ||
                           keys.has("DistributedDataParallel") || keys.has("DDP");
    FABRICAST_ASSIGN(const std::optional<StartedRanks> ranks, startedRanks(draft));
    const std::string python = oneProcessOf(keys);
    if (!isDivided || !python.empty()) {
        draft.set("layout.dp", std::int64_t{1}, python.empty() ? kOwnLoop : python);
        if (!isDivided) {
            draft.note("the program's loop trains on one GPU: it divides nothing over others");
        }
    } else if (ranks && kind == LaunchKind::Deepspeed) {
        FABRICAST_TRY(setDataRanks(draft, ranks->count, ranks->from));
    } else if (ranks && kind != LaunchKind::Accelerate) {
        draft.set("layout.dp", ranks->count, ranks->from);
    }
    return importDeviceMap(draft, ranks && isDivided ? std::optional(ranks->count) : std::nullopt);
}

/// Without autocast a base of 16 bits multiplies in its own type; peft's adapters beside it are
/// fp32 unless it is told to leave them in that type.
void setProductsOfBase(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    if (draft.word("settings.lora.base") != "bf16" || draft.word("workload.precision") != "fp32") {
        return;
    }
    const LaunchKey* const casts = keys.use("get_peft_model.autocast_adapter_dtype");
    const bool keepsType =
        casts != nullptr && casts->values.size() == 1 && asSwitch(casts->values.front()) == false;
    draft.set("workload.precision", "pure_bf16", kOwnLoop);
    draft.set("settings.lora.dtype",
              keepsType ? "bf16" : "fp32",
              keepsType ? "get_peft_model.autocast_adapter_dtype" : kOwnLoop);
}

/// torch.optim.AdamW goes through its weights in lists unless it is told otherwise.
Result<void> importOwnOptimizer(ScenarioDraft& draft) {
    FABRICAST_TRY(importLoopOptimizer(draft));
    const LaunchKeys& keys = draft.keys();
    const char* const made = saidOf(keys, {"AdamW", "Adam"});
    if (draft.find("settings.optimizer.kernel") == nullptr && *made != '\0' &&
        draft.word("workload.optimizer") == "adamw" && draft.word("stack") != "deepspeed") {
        draft.set("settings.optimizer.kernel", "foreach", made);
    }
    return {};
}

}  // namespace

Result<JsonValue> importOwnLoop(OpenedFile& file, const ImportContext& context) {
    LaunchKeys& keys = file.keys;
    ScenarioDraft draft(keys);
    FABRICAST_TRY(checkLoop(keys));
    draft.set("stack", "accelerate", kOwnLoop);
    if (const auto model = keys.text("--model_name_or_path"); model && !model->starts_with("$")) {
        draft.set("model", *model, "--model_name_or_path");
    }
    FABRICAST_ASSIGN(std::optional<LoopFile> other, readLoopFile(file, context));
    const LaunchKind kind = other ? other->kind : LaunchKind::Trainer;
    FABRICAST_TRY(importLoopSizes(draft, !other || !other->hasBatch));
    if (other) {
        draft.merge(other->scenario);
        draft.takeNotes(other->scenario);
        if (kind == LaunchKind::Deepspeed) {
            draft.set("stack", "deepspeed", kOwnLoop);
            checkEngineBatch(draft);
        }
    } else {
        draft.set("layout.shard", "none", kOwnLoop);
    }
    FABRICAST_TRY(importLoopRanks(draft, kind));
    FABRICAST_TRY(importTrainerPrecision(draft, other.has_value()));
    FABRICAST_TRY(importMadeModel(draft));
    FABRICAST_TRY(importMadeConfig(draft));
    FABRICAST_TRY(importPeft(draft));
    const std::string precision = draft.word("workload.precision");
    if (kind != LaunchKind::Deepspeed || keys.has("--use_peft")) {
        FABRICAST_TRY(importLoadedWeights(draft, precision.empty() || precision == "bf16"));
    }
    setProductsOfBase(draft);
    FABRICAST_TRY(importKbitPreparation(draft));
    FABRICAST_TRY(importChangedModel(draft, context));
    if (kind != LaunchKind::Deepspeed) {
        importKeptGradients(draft);
    }
    noteOtherWork(draft);
    importLoopEvaluation(draft);
    if (!other || !other->hasOptimizer) {
        FABRICAST_TRY(importOwnOptimizer(draft));
    }
    for (const LaunchKey& key : std::vector<LaunchKey>(keys.all())) {
        const bool isOfModel = key.path.starts_with("model.") || key.path.ends_with("(model)");
        const bool isTyped = key.path.starts_with("--") && !key.file.empty();  // by its script
        if (!isTyped && (!isOfModel || (!key.path.ends_with(")") && !key.path.ends_with(" =")))) {
            (void)keys.use(key.path);
        }
    }
    return draft.finish("a loop of its own", {"torchrun", "script"});
}

}  // namespace fabricast
