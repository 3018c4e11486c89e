#include "planner/base/checked.h"
#include "planner/launch/config_argument.h"
#include "planner/launch/import_hugging_face.h"
#include "planner/launch/import_launch.h"
#include "planner/launch/import_saving.h"
#include "planner/launch/liger_kernels.h"
#include "planner/launch/loaded_weights.h"
#include "planner/launch/python_file.h"
#include "planner/launch/scenario_draft.h"
#include "planner/launch/started_ranks.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

/// What scripts of the Hub's world call the length of a sample.
constexpr std::array kLengths = {
    "--max_length", "--max_seq_length", "--model_max_length", "--cutoff_len", "--block_size"};

constexpr std::array<std::string_view, 4> kUnmodelledByTrainer = {
    "--tp_size", "--neftune_noise_alpha", "--group_by_length", "--torch_empty_cache_steps"};

/// How the parameters are sharded, where no file of its own says so.
Result<void> importFsdpWords(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const LaunchKey* const key = keys.use("--fsdp");
    std::string words;
    for (const std::string& one : key == nullptr ? std::vector<std::string>() : key->values) {
        words += " " + one + " ";
    }
    const auto says = [&words](const char* word) { return words.find(word) != std::string::npos; };
    if (key == nullptr || says("False") || says("false")) {
        draft.set("layout.shard", "none", "script");
        return {};
    }
    if (says("hybrid_shard")) {
        return keys.refuse(
            *key,
            "hybrid_shard does not say how many ranks share a copy",
            "Accelerate's parallelism_config with dp_replicate_size and dp_shard_size");
    }
    draft.set("layout.shard", says("no_shard") ? "none" : "fsdp", "--fsdp");
    if (says("shard_grad_op")) {
        draft.set("settings.torch.reshard", "never", "--fsdp");
    }
    if (says("offload")) {
        draft.set("layout.offload", "parameters_cpu", "--fsdp");
    }
    draft.note("FSDP is forecast as FSDP2");
    return {};
}

/// What FSDP's own arguments say beside "--fsdp".
Result<void> importFsdpConfig(ScenarioDraft& draft, const ImportContext& context) {
    LaunchKeys& keys = draft.keys();
    if (!keys.text("--fsdp_config")) {
        return {};
    }
    FABRICAST_ASSIGN(LaunchKeys config, configOf(keys, "--fsdp_config", context));
    for (const char* const path : {"reshard_after_forward", "fsdp_reshard_after_forward"}) {
        FABRICAST_ASSIGN(const auto reshards, config.flag(path));
        if (reshards && !*reshards) {
            draft.set("settings.torch.reshard", "never", "--fsdp_config");
        }
    }
    for (const char* const path : {"activation_checkpointing", "fsdp_activation_checkpointing"}) {
        FABRICAST_ASSIGN(const auto checkpoints, config.flag(path));
        if (checkpoints.value_or(false)) {
            draft.set("layout.recompute", "full", "--fsdp_config");
        }
    }
    return {};
}

Result<void> importTrainerBatch(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    constexpr std::int64_t kUsualBatch = 8;  // of TrainingArguments
    FABRICAST_ASSIGN(const auto each, keys.whole("--per_device_train_batch_size"));
    FABRICAST_ASSIGN(const auto steps, keys.whole("--gradient_accumulation_steps"));
    const std::int64_t micro = each.value_or(kUsualBatch);
    draft.set("layout.micro_batch", micro, each ? "--per_device_train_batch_size" : "script");
    draft.set("workload.global_batch",
              std::to_string(saturatingProduct(micro, steps.value_or(1))) + " per rank",
              steps ? "--gradient_accumulation_steps" : "--per_device_train_batch_size");
    for (const char* const length : kLengths) {
        FABRICAST_TRY(draft.copyWhole("workload.sequence", length));
    }
    return {};
}

/// Without a type of its own a script has the launcher's: Accelerate's file said it already.
Result<void> importLaunchersPrecision(ScenarioDraft& draft, bool isSaid) {
    LaunchKeys& keys = draft.keys();
    constexpr const char* kTyped = "torchrun --mixed_precision";
    const std::string typed = keys.text(kTyped).value_or("");
    if (typed == "bf16" || typed == "fp16" || typed == "no") {
        draft.set("workload.precision", typed == "no" ? "fp32" : typed, kTyped);
    } else if (keys.has(kTyped)) {
        return keys.refuse(*keys.use(kTyped), "is not modelled here", "bf16, fp16 or no");
    } else if (!isSaid) {
        draft.set("workload.precision", "fp32", "script");
    }
    return {};
}

Result<void> importTrainerPrecision(ScenarioDraft& draft, bool isSaid) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_ASSIGN(const auto bf16, keys.flag("--bf16"));
    FABRICAST_ASSIGN(const auto fp16, keys.flag("--fp16"));
    if (fp16.value_or(false)) {
        draft.set("workload.precision", "fp16", "--fp16");
    } else if (!bf16.value_or(false)) {
        FABRICAST_TRY(importLaunchersPrecision(draft, isSaid));
    } else {
        draft.set("workload.precision", "bf16", "--bf16");
    }
    FABRICAST_TRY(draft.copyFlag("settings.kernels.compile", "--torch_compile"));
    FABRICAST_ASSIGN(const auto checkpoints, keys.flag("--gradient_checkpointing"));
    if (checkpoints.value_or(false)) {
        draft.set("layout.recompute", "full", "--gradient_checkpointing");
    }
    FABRICAST_TRY(importLigerArguments(draft));
    importAttention(draft, "--attn_implementation", "sdpa");
    return {};
}

/// Whether products are of bf16 beside weights of any type, as a file or an argument says, or
/// nothing does: the default of the stack.
bool isAutocast(const JsonValue& scenario) {
    const JsonValue* const workload = scenario.find("workload");
    const JsonValue* const said = workload == nullptr ? nullptr : workload->find("precision");
    return said == nullptr || said->text() == "bf16";
}

/// Of training on preferences what is modelled is the memory of the reference model.
Result<void> refusePreferenceTrainer(LaunchKeys& keys) {
    for (const std::string_view name : trainersOfPreferences()) {
        if (const LaunchKey* const key = keys.use(name)) {
            return keys.refuse(*key,
                               "is not modelled",
                               "SFTConfig, and --set settings.reference=whole|sharded: memory "
                               "with a frozen reference model (fabricast help dpo)");
        }
    }
    return {};
}

/// Without a launcher Trainer takes all GPUs that one process sees; under DeepSpeed it takes one.
void importOneProcess(ScenarioDraft& draft, bool isDeepspeed) {
    LaunchKeys& keys = draft.keys();
    const std::string seen = keys.text("env CUDA_VISIBLE_DEVICES").value_or(",");
    const std::string python = oneProcessOf(keys);
    if (python.empty()) {
        return;
    }
    if (isDeepspeed || seen.find_first_of(",$") == std::string::npos) {
        draft.set("layout.dp",
                  std::int64_t{1},
                  isDeepspeed ? std::string_view(python) : "env CUDA_VISIBLE_DEVICES");
    } else {
        draft.set("imported.one_process", true, python);
    }
}

/// Arguments that change no forecast, by how they begin.
const std::vector<std::string_view>& harmlessToTrainer() {
    static const std::vector<std::string_view> keys = {"torchrun",
                                                       "script",
                                                       "--output_dir",
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
                                                       "--deepspeed"};
    return keys;
}

}  // namespace

Result<JsonValue> importTrainer(OpenedFile& file, const ImportContext& context) {
    LaunchKeys& keys = file.keys;
    ScenarioDraft draft(keys);
    draft.set("stack", "accelerate", "script");
    if (const auto model = keys.text("--model_name_or_path")) {
        draft.set("model", *model, "--model_name_or_path");
    }
    FABRICAST_TRY(refusePreferenceTrainer(keys));
    FABRICAST_TRY(draft.refuseUnmodelled(kUnmodelledByTrainer));
    LaunchKind readKind = LaunchKind::Trainer;  // whose file it reads beside its own arguments
    const bool isInside = file.names.empty() && keys.text("--deepspeed");
    if (isInside) {
        FABRICAST_ASSIGN(LaunchKeys config, configOf(keys, "--deepspeed", context));
        readKind = LaunchKind::Deepspeed;
        FABRICAST_ASSIGN(const JsonValue scenario, importDeepspeed(config));
        draft.merge(scenario);
    } else if (file.names.empty()) {
        FABRICAST_TRY(importFsdpWords(draft));
        FABRICAST_TRY(importFsdpConfig(draft, context));
    } else {
        FABRICAST_ASSIGN(OpenedFile named, openNamed(file, context.read));
        readKind = named.kind;
        if (readKind == LaunchKind::Accelerate) {
            named.keys.append(keys, {"torchrun "});
        }
        FABRICAST_ASSIGN(const JsonValue scenario, importFile(named, context));
        draft.merge(scenario);
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
    FABRICAST_TRY(importTrainerBatch(draft));
    FABRICAST_TRY(importTrainerPrecision(draft, byAccelerate));
    FABRICAST_TRY(importPeft(draft));
    FABRICAST_TRY(importLoadedWeights(draft, isAutocast(draft.scenario())));
    FABRICAST_TRY(importTrainerOptimizer(draft, "--optim"));
    FABRICAST_TRY(importTrainerSaving(draft, "--"));
    return draft.finish("Hugging Face Trainer", harmlessToTrainer());
}

}  // namespace fabricast
