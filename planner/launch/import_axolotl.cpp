#include "planner/base/checked.h"
#include "planner/launch/import_hugging_face.h"
#include "planner/launch/import_launch.h"
#include "planner/launch/import_settings.h"
#include "planner/launch/import_trainers.h"
#include "planner/launch/liger_kernels.h"
#include "planner/launch/scenario_draft.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

constexpr std::array<std::string_view, 7> kUnmodelledByAxolotl = {"relora",
                                                                  "qat",
                                                                  "layer_offloading",
                                                                  "tiled_mlp",
                                                                  "reward_model",
                                                                  "deepspeed.zero_optimization",
                                                                  "overrides_of_model_config"};

/// Of preference training what is modelled is the memory of the reference model.
Result<void> refusePreferences(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    constexpr std::array kNone = {""sv, "null"sv, "none"sv, "no"sv, "false"sv};
    if (std::ranges::find(kNone, keys.text("rl").value_or("")) != kNone.end()) {
        return {};
    }
    const bool adapts = !keys.text("adapter").value_or("").empty();
    return keys.refuse(*keys.use("rl"),
                       "is not modelled",
                       adapts ? "leave it out: with adapters the base is the reference, and the "
                                "memory is that of plain training on both of a pair (fabricast "
                                "help dpo)"
                              : "leave it out, and type --set settings.reference=whole|sharded: "
                                "memory with a frozen reference model (fabricast help dpo)");
}

Result<void> importAxolotlBatch(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_TRY(draft.copyWhole("workload.sequence", "sequence_len"));
    FABRICAST_ASSIGN(const auto packed, keys.flag("sample_packing"));
    FABRICAST_ASSIGN(const auto padded, keys.flag("pad_to_sequence_len"));
    if (!packed.value_or(false) && !padded.value_or(false)) {
        draft.note("samples are not packed: forecast with all as long as sequence_len");
    }
    if (packed.value_or(false)) {
        draft.assume("settings.kernels.document_tokens",
                     "a packed sequence is one document, which attends to all of itself "
                     "(--set settings.kernels.document_tokens=N: documents of N tokens)");
    }
    FABRICAST_TRY(
        checkCounts(keys, {"micro_batch_size", "gradient_accumulation_steps", "batch_size"}));
    FABRICAST_ASSIGN(const auto micro, keys.whole("micro_batch_size"));
    FABRICAST_ASSIGN(const auto steps, keys.whole("gradient_accumulation_steps"));
    FABRICAST_ASSIGN(const auto batch, keys.whole("batch_size"));
    if (micro) {
        draft.set("layout.micro_batch", *micro, "micro_batch_size");
    }
    const std::int64_t each =
        batch.value_or(saturatingProduct(micro.value_or(1), steps.value_or(1)));
    draft.set("workload.global_batch",
              std::to_string(each) + " per rank",
              batch ? "batch_size" : "gradient_accumulation_steps");
    return {};
}

/// Each token that the tokenizer, which nobody reads here, does not have yet is a row.
void noteAddedTokens(ScenarioDraft& draft) {
    constexpr std::array kAdd = {"special_tokens"sv, "tokens"sv};
    std::string names;
    for (const LaunchKey& key : draft.keys().all()) {
        const bool adds = std::ranges::any_of(
            kAdd, [&key](std::string_view name) { return key.path.starts_with(name); });
        if (adds) {
            names += (names.empty() ? "" : ", ") + key.path;
        }
    }
    if (!names.empty()) {
        draft.note("tokens that the tokenizer does not have yet (" + names +
                   ") are a row each of embedding and head, which is not counted");
    }
}

/// Which of ring-flash-attn's functions runs: Axolotl's own choice follows from packing.
Result<void> importAxolotlContext(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_TRY(draft.copyWhole("layout.cp", "context_parallel_size"));
    FABRICAST_ASSIGN(const auto ranks, keys.whole("context_parallel_size"));
    FABRICAST_ASSIGN(const auto isPacked, keys.flag("sample_packing"));
    const char* const path = "ring_attn_func";
    const std::string usual = isPacked.value_or(false) ? "varlen_llama3" : "batch_ring";
    const std::string name = keys.text(path).value_or(usual);
    if (ranks.value_or(1) <= 1) {
        return {};
    }
    if (name != "varlen_llama3" && name != "batch_ring") {
        return keys.refuse(*keys.use(path),
                           "\"" + name + "\" is not of Axolotl 0.19",
                           "varlen_llama3 with sample_packing, batch_ring without");
    }
    draft.set("layout.cp_kind",
              name == "batch_ring" ? "ring" : "allgather",
              keys.has(path)               ? path
              : keys.has("sample_packing") ? "sample_packing"
                                           : "context_parallel_size");
    return {};
}

/// Weights that are unpacked have the type of the others; those that stay packed are not modelled.
Result<void> importUnpacking(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_ASSIGN(const auto unpacks, keys.flag("model_quantization_config_kwargs.dequantize"));
    if (unpacks.value_or(false)) {
        (void)keys.use("model_quantization_config");
    }
    return {};
}

/// activation_offloading, or what validation.py turns into it. With adapters Axolotl recomputes
/// nothing then, and moves all that autograd saves.
Result<void> importAxolotlOffload(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const std::string checkpointing = keys.text("gradient_checkpointing").value_or("false");
    const bool isOld = checkpointing == "offload" || checkpointing == "offload_disk";
    const char* const path = isOld ? "gradient_checkpointing" : "activation_offloading";
    const std::string said = keys.text("activation_offloading").value_or("false");
    const std::string way = isOld ? (checkpointing == "offload" ? "true" : "disk") : said;
    if (asSwitch(way) == false || way.empty() || way == "null") {
        return {};
    }
    const LaunchKey& key = *keys.use(path);
    if (asSwitch(way) != true && way != "legacy") {
        return keys.refuse(key, "\"" + way + "\" is not modelled", "activation_offloading: true");
    }
    if (!keys.text("adapter").value_or("").empty()) {
        return keys.refuse(key,
                           "is not modelled with adapters, where it recomputes nothing and moves "
                           "all that is saved",
                           "activation_offloading: false");
    }
    FABRICAST_ASSIGN(const auto weights, keys.flag("fsdp_config.offload_params"));
    if (!keys.text("deepspeed").value_or("").empty() || weights.value_or(false)) {
        return keys.refuse(key,
                           "is not modelled beside DeepSpeed and offload_params",
                           "activation_offloading: false");
    }
    draft.set("layout.offload", "activations", path);
    if (way == "legacy") {
        draft.set("settings.torch.offload_stream", false, path);
    }
    return {};
}

Result<void> importAxolotlKernels(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_TRY(importAxolotlOffload(draft));
    const std::string checkpointing = keys.text("gradient_checkpointing").value_or("false");
    // Axolotl hands it to Accelerate, which wraps every layer (FSDP_ACTIVATION_CHECKPOINTING).
    FABRICAST_ASSIGN(const auto wraps, keys.flag("fsdp_config.activation_checkpointing"));
    const bool asked = checkpointing != "false";
    draft.set("layout.recompute",
              asked || wraps.value_or(false) ? "full" : "none",
              asked || !wraps ? "gradient_checkpointing" : "fsdp_config.activation_checkpointing");
    if (asked && checkpointing != "true" && !checkpointing.starts_with("offload")) {
        draft.note("gradient_checkpointing " + checkpointing + " is forecast as true");
    }
    FABRICAST_ASSIGN(const auto half, keys.flag("fp16"));
    const std::string said = keys.has("bf16") ? keys.text("bf16").value_or("auto") : "auto";
    const std::optional<bool> isOn = asSwitch(said);
    const std::string bf16 = !isOn ? said : *isOn ? "true" : "false";
    if (half.value_or(false)) {
        draft.set("workload.precision", "fp16", "fp16");
    } else if (bf16 == "false" || bf16 == "full") {
        draft.set("workload.precision", bf16 == "full" ? "pure_bf16" : "fp32", "bf16");
    } else if (bf16 == "auto" && !keys.has("deepspeed")) {  // whose file says it
        draft.set("workload.precision", "auto", keys.has("bf16") ? "bf16" : "base_model");
    } else if (bf16 != "true" && bf16 != "auto") {
        return keys.refuse(*keys.use("bf16"), "is true, false, auto or full", "bf16: auto");
    }
    FABRICAST_TRY(draft.copyFlag("settings.kernels.compile", "torch_compile"));
    FABRICAST_TRY(importAxolotlLoss(draft));
    FABRICAST_ASSIGN(const auto fp8, keys.flag("fp8"));
    if (fp8.value_or(false)) {
        const std::string recipe = keys.text("fp8_config.recipe").value_or("tensorwise");
        draft.set("settings.kernels.quantization", "fp8_" + recipe, "fp8");
    }
    FABRICAST_ASSIGN(const auto old, keys.flag("flash_attention"));
    FABRICAST_TRY(importAttention(
        draft, "attn_implementation", old.value_or(true) ? "flash_attention_2" : "sdpa"));
    const std::string sync = "accelerator_config.gradient_accumulation_kwargs.sync_each_batch";
    FABRICAST_ASSIGN(const auto every, keys.flag(sync));
    if (every.value_or(false)) {
        draft.set("settings.torch.sync", "each_micro_batch", sync);
    }
    return {};
}

/// ModelLoader casts embedding, head and norms to fp32, and back only for attention kernels that
/// need 16 bits; FSDP, DeepSpeed and adapters have one type again.
Result<void> refuseMixedTypes(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const bool oneType = keys.has("adapter") || keys.has("deepspeed") || keys.has("fsdp") ||
                         keys.has("fsdp_config") || keys.has("fsdp_version");
    const std::string attention = keys.text("attn_implementation").value_or("");
    if (oneType || keys.text("bf16").value_or("true") == "false" ||
        (attention != "sdpa" && attention != "eager")) {
        return {};
    }
    return keys.refuse(*keys.use("attn_implementation"),
                       attention +
                           " keeps embedding, head and norms in fp32 beside bf16 layers where all "
                           "is trained without FSDP or DeepSpeed, which is not modelled",
                       "attn_implementation: flash_attention_2");
}

/// Keys that change no forecast, by how they begin.
const std::vector<std::string_view>& harmlessToAxolotl() {
    static const std::vector<std::string_view> keys = {"torchrun ",
                                                       "datasets",
                                                       "test_datasets",
                                                       "fp8_",
                                                       "output_dir",
                                                       "val_set_size",
                                                       "num_epochs",
                                                       "max_steps",
                                                       "learning_rate",
                                                       "lr_",
                                                       "weight_decay",
                                                       "warmup",
                                                       "lora_alpha",
                                                       "sample_packing",
                                                       "pad_to",
                                                       "eval_",
                                                       "dataset",
                                                       "wandb",
                                                       "logging",
                                                       "save_",
                                                       "saves_",
                                                       "saves",
                                                       "hub_",
                                                       "chat_template",
                                                       "special_tokens",
                                                       "tokens",
                                                       "tokenizer",
                                                       "model_type",
                                                       "trust_remote",
                                                       "seed",
                                                       "strict",
                                                       "tf32",
                                                       "plugins",
                                                       "fsdp_config.auto_wrap",
                                                       "fsdp_config.transformer",
                                                       "fsdp_config.state_dict",
                                                       "fsdp_config.final_state",
                                                       "fsdp_config.cpu_ram",
                                                       "group_by",
                                                       "train_on",
                                                       "resume",
                                                       "early_",
                                                       "load_in_",
                                                       "max_grad_norm",
                                                       "adam_",
                                                       "flash_attention",
                                                       "is_llama",
                                                       "bnb_config_kwargs",
                                                       "xformers",
                                                       "debug",
                                                       "gradient_checkpointing_kwargs"};
    return keys;
}

}  // namespace

LaunchKeys axolotlKeysOf(const LaunchKeys& file) {
    constexpr std::string_view kOld = "fsdp_config.fsdp_";
    LaunchKeys keys(file.source());
    for (LaunchKey key : file.all()) {
        if (key.path.starts_with(kOld) && key.path != "fsdp_config.fsdp_version") {
            key.path = "fsdp_config." + key.path.substr(kOld.size());
        } else if (key.path == "fsdp_config.fsdp_version") {
            key.path = "fsdp_version";
        } else if (key.path == "sequence_parallel_degree") {
            key.path = "context_parallel_size";
        }
        keys.add(std::move(key));
    }
    return keys;
}

Result<JsonValue> importAxolotl(LaunchKeys& file, const ImportContext& context) {
    LaunchKeys keys = axolotlKeysOf(file);
    ScenarioDraft draft(keys);
    draft.set("stack", "axolotl", "");
    if (const auto model = keys.text("base_model")) {
        draft.set("model", *model, "base_model");
    }
    FABRICAST_TRY(refusePreferences(draft));
    FABRICAST_TRY(draft.refuseUnmodelled(kUnmodelledByAxolotl));
    const std::string deepspeed = keys.text("deepspeed").value_or("");
    if (deepspeed.empty()) {
        FABRICAST_TRY(importAxolotlSharding(draft));
    } else if (keys.has("fsdp_config")) {
        return keys.refuse(
            *keys.use("deepspeed"), "and fsdp_config are both in the file", "one of them");
    }
    noteAddedTokens(draft);
    FABRICAST_TRY(importAxolotlRanks(draft));
    FABRICAST_TRY(importAxolotlBatch(draft));
    draft.copyLength("max_steps", "steps");
    FABRICAST_TRY(importTrainerOptimizer(draft, "optimizer"));
    FABRICAST_TRY(importAxolotlTuning(draft, context));
    FABRICAST_TRY(refuseMixedTypes(draft));
    FABRICAST_TRY(importUnpacking(draft));
    FABRICAST_TRY(importAxolotlKernels(draft));
    FABRICAST_TRY(draft.copyWhole("layout.tp", "tensor_parallel_size"));
    FABRICAST_TRY(importAxolotlContext(draft));
    FABRICAST_TRY(draft.copyWhole("layout.ep", "expert_parallel_size"));
    FABRICAST_TRY(importTrainerSaving(draft, ""));
    FABRICAST_TRY(importAxolotlEvaluation(draft));
    if (keys.text("fsdp_config.state_dict_type") == "FULL_STATE_DICT") {
        noteFullCheckpoint(draft, "fsdp_config.state_dict_type: FULL_STATE_DICT");
    }
    file.markAsIn(keys);
    return draft.finish("axolotl", harmlessToAxolotl());
}

}  // namespace fabricast
