#include "planner/base/checked.h"
#include "planner/launch/import_settings.h"
#include "planner/launch/import_trainers.h"
#include "planner/launch/started_ranks.h"
#include "planner/launch/torchtune.h"

#include <array>
#include <optional>
#include <string>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 4> kUnmodelledByTune = {
    "optimizer_in_bwd", "tensor_parallel_dim", "model.use_hadamard", "quantizer._component_"};

/// One device has no wrapper around the model, as under Axolotl on one rank; several have FSDP2.
Result<void> importTuneStack(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const std::string recipe = keys.text(kTuneKey).value_or("");
    if (recipe.ends_with("_single_device")) {
        draft.set("stack", "axolotl", kTuneKey);
        draft.set("layout.shard", "none", kTuneKey);
        draft.set("layout.dp", std::int64_t{1}, kTuneKey);
        draft.note("one device without a wrapper is forecast as Axolotl's");
        return {};
    }
    draft.set("stack", "fsdp2", kTuneKey);
    draft.set("layout.shard", "fsdp", kTuneKey);
    if (recipe.empty()) {
        draft.assume("stack",
                     "which recipe reads this config is not said: a distributed one is taken "
                     "(--gpus 1, or a script with \"tune run lora_finetune_single_device --config "
                     "…\", for one device)");
        draft.set("imported.alone", "axolotl", kTuneKey);
    }
    FABRICAST_ASSIGN(const std::optional<StartedRanks> ranks, startedRanks(draft));
    if (ranks) {
        draft.set("layout.dp", ranks->count, ranks->from);
    }
    // Its loops reduce after every pass: they have no no_sync.
    draft.set("settings.torch.sync", "each_micro_batch", kTuneKey);
    FABRICAST_ASSIGN(const auto reshards, keys.flag("fsdp_reshard_after_forward"));
    if (reshards && !*reshards) {
        draft.set("settings.torch.reshard", "never", "fsdp_reshard_after_forward");
    }
    FABRICAST_ASSIGN(const auto offload, keys.flag("fsdp_cpu_offload"));
    if (offload.value_or(false)) {
        draft.set("layout.offload", "parameters_cpu", "fsdp_cpu_offload");
    }
    return {};
}

Result<void> importTuneBatch(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_ASSIGN(const auto length, keys.whole("tokenizer.max_seq_len"));
    if (length) {
        draft.set("workload.sequence", *length, "tokenizer.max_seq_len");
    } else {
        draft.note("tokenizer.max_seq_len does not limit a sample: --seq says how long they are");
    }
    FABRICAST_ASSIGN(const auto packed, keys.flag("dataset.packed"));
    if (!packed.value_or(false)) {
        draft.note("samples are not packed: forecast with all as long as the sequence");
    }
    FABRICAST_TRY(checkCounts(keys, {"batch_size", "gradient_accumulation_steps"}));
    FABRICAST_ASSIGN(const auto micro, keys.whole("batch_size"));
    FABRICAST_ASSIGN(const auto steps, keys.whole("gradient_accumulation_steps"));
    if (micro) {
        draft.set("layout.micro_batch", *micro, "batch_size");
    }
    draft.set("workload.global_batch",
              std::to_string(saturatingProduct(micro.value_or(1), steps.value_or(1))) + " per rank",
              steps ? "gradient_accumulation_steps" : "batch_size");
    return {};
}

/// What a layer keeps. Its offload is modelled under FSDP2 where all weights are trained.
Result<void> importTuneActivations(ScenarioDraft& draft, bool adapts) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_ASSIGN(const auto checkpoints, keys.flag("enable_activation_checkpointing"));
    draft.set("layout.recompute",
              checkpoints.value_or(false) ? "full" : "none",
              "enable_activation_checkpointing");
    FABRICAST_ASSIGN(const auto offload, keys.flag("enable_activation_offloading"));
    const bool isSingle = keys.text(kTuneKey).value_or("").ends_with("_single_device");
    if (!offload.value_or(false)) {
        return {};
    }
    if (!checkpoints.value_or(false)) {
        return keys.refuse(*keys.use("enable_activation_offloading"),
                           "needs enable_activation_checkpointing: torchtune ends at the start",
                           "enable_activation_checkpointing: True");
    }
    FABRICAST_ASSIGN(const auto weights, keys.flag("fsdp_cpu_offload"));
    if (isSingle || adapts || weights.value_or(false)) {
        draft.note(
            "enable_activation_offloading is forecast as off: it needs less memory, and more time");
    } else {
        draft.set("layout.offload", "activations", "enable_activation_offloading");
    }
    return {};
}

Result<void> importTuneKernels(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const std::string dtype = keys.text("dtype").value_or("fp32");
    if (dtype != "bf16" && dtype != "fp32") {
        return keys.refuse(*keys.use("dtype"), "\"" + dtype + "\" is not trained in", "bf16");
    }
    draft.set("workload.precision", dtype == "bf16" ? "pure_bf16" : "fp32", "dtype");
    FABRICAST_ASSIGN(const auto compiles, keys.flag("compile"));
    if (compiles) {
        draft.set("settings.kernels.compile", *compiles, "compile");
    }
    const char* const path = "loss._component_";
    const std::string loss = keys.text(path).value_or("");
    const bool isChunked = loss.ends_with("CEWithChunkedOutputLoss");
    if (!isChunked && !loss.empty() && loss != "torch.nn.CrossEntropyLoss") {
        return keys.refuse(*keys.use(path),
                           "\"" + loss + "\" is not modelled",
                           "torchtune.modules.loss.CEWithChunkedOutputLoss");
    }
    if (isChunked && compiles.value_or(false)) {
        draft.set("settings.kernels.loss", "chunked", path);
    } else {
        draft.set("settings.kernels.loss", "fp32_upcast", path);
    }
    if (isChunked && !compiles.value_or(false)) {
        draft.note(
            "CEWithChunkedOutputLoss that is not compiled keeps every chunk's logits in fp32: its "
            "chunks are not modelled, and the forecast is of whole logits, which need more");
    }
    return {};
}

/// Keys that change no forecast, by how they begin.
const std::vector<std::string_view>& harmlessToTune() {
    static const std::vector<std::string_view> keys = {"torchrun ",
                                                       "output_dir",
                                                       "tokenizer.",
                                                       "dataset",
                                                       "seed",
                                                       "shuffle",
                                                       "checkpointer",
                                                       "resume_from",
                                                       "save_adapter",
                                                       "epochs",
                                                       "max_steps",
                                                       "optimizer.",
                                                       "lr_scheduler",
                                                       "loss.",
                                                       "clip_grad",
                                                       "device",
                                                       "metric_logger",
                                                       "log_",
                                                       "profiler",
                                                       "low_cpu_ram",
                                                       "collate_fn",
                                                       "custom_sharded_layers",
                                                       "cudnn_deterministic",
                                                       "model.lora_alpha",
                                                       "model._component_"};
    return keys;
}

}  // namespace

Result<JsonValue> importTune(LaunchKeys& keys, const ImportContext& context) {
    ScenarioDraft draft(keys);
    const char* const path = "model._component_";
    const TuneModel model = tuneModel(keys.text(path).value_or(""), context);
    FABRICAST_TRY(importTuneStack(draft));
    if (model.name.empty()) {
        draft.note("-m names the model: " + keys.text(path).value_or(path) +
                   " is none of those "
                   "that are built in");
    } else {
        draft.set("model", model.name, path);
    }
    FABRICAST_TRY(draft.refuseUnmodelled(kUnmodelledByTune));
    FABRICAST_TRY(importTuneBatch(draft));
    if (model.adapts) {
        FABRICAST_TRY(importTuneAdapters(draft, model.quantizes));
    }
    FABRICAST_TRY(importTuneActivations(draft, model.adapts));
    FABRICAST_TRY(importTuneOptimizer(draft));
    FABRICAST_TRY(importTuneKernels(draft));
    draft.note("torchtune's own model code is forecast as transformers'");
    return draft.finish("torchtune", harmlessToTune());
}

}  // namespace fabricast
