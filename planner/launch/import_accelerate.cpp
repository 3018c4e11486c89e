#include "planner/base/checked.h"
#include "planner/launch/import_hugging_face.h"
#include "planner/launch/import_launch.h"
#include "planner/launch/import_settings.h"
#include "planner/launch/liger_kernels.h"
#include "planner/launch/scenario_draft.h"
#include "planner/launch/started_ranks.h"

#include <array>

namespace fabricast {
namespace {

constexpr const char* kTypedRanks = "torchrun --num_processes";

/// FSDP2, or FSDP1, which is forecast as the FSDP2 that it is to become.
Result<void> importFsdp(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const std::string at = "fsdp_config.fsdp_";
    FABRICAST_ASSIGN(const auto version, keys.whole(at + "version"));
    if (version.value_or(1) == 1) {
        draft.note("fsdp_version 1 is forecast as 2: FSDP1 is deprecated, set fsdp_version: 2");
        const std::string strategy = keys.text(at + "sharding_strategy").value_or("FULL_SHARD");
        if (strategy != "FULL_SHARD" && strategy != "1" && strategy != "SHARD_GRAD_OP") {
            return keys.refuse(*keys.use(at + "sharding_strategy"),
                               "is not modelled for FSDP2 without a mesh",
                               "fsdp_version: 2 with parallelism_config_dp_replicate_size");
        }
        if (strategy == "SHARD_GRAD_OP") {
            draft.set("settings.torch.reshard", "never", at + "sharding_strategy");
        }
    } else {
        FABRICAST_ASSIGN(const auto reshards, keys.flag(at + "reshard_after_forward"));
        if (reshards && !*reshards) {
            draft.set("settings.torch.reshard", "never", at + "reshard_after_forward");
        }
    }
    const std::string wrap = at + "auto_wrap_policy";
    FABRICAST_TRY(importWrapPolicy(draft, keys, wrap, wrap));
    noteApartEnds(draft);
    if (!keys.has(at + "auto_wrap_policy")) {
        draft.leaveOpen("settings.torch.one_unit",
                        *keys.find("distributed_type"),
                        "FSDP: without an fsdp_auto_wrap_policy Accelerate gathers the whole model "
                        "at once",
                        "fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP in fsdp_config, or --set "
                        "settings.torch.one_unit=true to forecast it so");
    }
    draft.set("layout.shard", "fsdp", "distributed_type");
    if (keys.text(at + "state_dict_type") == "FULL_STATE_DICT") {
        noteFullCheckpoint(draft, at + "state_dict_type: FULL_STATE_DICT");
    }
    FABRICAST_ASSIGN(const auto offload, keys.flag(at + "offload_params"));
    if (offload.value_or(false)) {
        draft.set("layout.offload", "parameters_cpu", at + "offload_params");
    }
    FABRICAST_ASSIGN(const auto recompute, keys.flag(at + "activation_checkpointing"));
    draft.set("layout.recompute",
              recompute.value_or(false) ? "full" : "none",
              at + "activation_checkpointing");
    return {};
}

/// Ranks of the mesh; those that are not said are 1.
Result<void> importAccelerateMesh(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const std::string at = "parallelism_config.parallelism_config_";
    const char* const ranks = keys.has(kTypedRanks) ? kTypedRanks : "num_processes";  // it wins
    const std::string said = keys.text(ranks).value_or("");
    const bool isKnown = !said.starts_with("$");
    if (!isKnown) {
        (void)keys.use("num_processes");
        draft.note("--num_processes " + said + " is not known: -n says how many nodes");
    }
    FABRICAST_ASSIGN(const auto processes,
                     isKnown ? keys.whole(ranks) : std::optional<std::int64_t>());
    FABRICAST_ASSIGN(const auto copies, keys.whole(at + "dp_replicate_size"));
    FABRICAST_ASSIGN(const auto shards, keys.whole(at + "dp_shard_size"));
    FABRICAST_ASSIGN(const auto tensor, keys.whole(at + "tp_size"));
    FABRICAST_ASSIGN(const auto context, keys.whole(at + "cp_size"));
    FABRICAST_ASSIGN(const auto split, keys.whole(at + "sp_size"));
    const std::int64_t tp = tensor.value_or(1);
    const std::int64_t cp = saturatingProduct(context.value_or(1), split.value_or(1));
    if (tp > 1) {
        draft.set("layout.tp", tp, at + "tp_size");
    }
    if (cp > 1) {
        draft.set("layout.cp", cp, at + (split ? "sp_size" : "cp_size"));
        const bool ring = keys.text(at + "cp_comm_strategy") == "alltoall";
        draft.set("layout.cp_kind",
                  split  ? "ulysses"
                  : ring ? "ring"
                         : "allgather",
                  at + (split ? "sp_size" : "cp_size"));
    }
    if (copies.value_or(1) > 1 && saturatingProduct(shards.value_or(1), cp) > 1) {
        draft.set("layout.shard", "hsdp", at + "dp_replicate_size");
        draft.set(
            "layout.shard_size", saturatingProduct(shards.value_or(1), cp), at + "dp_shard_size");
    }
    const std::int64_t together = saturatingProduct(tp, cp);
    if (together < 1) {
        return fail(Error::Code::BadInput, keys.source(), "a mesh has no size below 1");
    }
    if (processes && *processes % together == 0) {
        draft.set("layout.dp", *processes / together, ranks);
        FABRICAST_TRY(noteRanksOfNode(draft, *processes));
    } else if (processes) {
        return keys.refuse(*keys.use(ranks),
                           "is not a multiple of the tensor and context ranks",
                           "a multiple of " + std::to_string(together));
    }
    for (const char* const known : {"cp_backend", "sp_backend", "sp_seq_length"}) {
        (void)keys.use(at + known);
    }
    return {};
}

Result<void> importZeroOfAccelerate(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const std::string at = "deepspeed_config.";
    if (const auto file = keys.text(at + "deepspeed_config_file"); file && !file->empty()) {
        return {};
    }
    FABRICAST_ASSIGN(const auto stage, keys.whole(at + "zero_stage"));
    const std::array<const char*, 4> shards = {"none", "zero1", "zero2", "zero3"};
    if (!stage || *stage < 0 || *stage > 3) {
        return fail(Error::Code::BadInput,
                    keys.source(),
                    "distributed_type DEEPSPEED needs deepspeed_config with zero_stage 0 to 3",
                    "zero_stage: 3");
    }
    draft.set("layout.shard", shards[static_cast<std::size_t>(*stage)], at + "zero_stage");
    if (const auto steps = keys.text(at + "gradient_accumulation_steps");
        steps && *steps != "auto") {
        FABRICAST_ASSIGN(const auto count, keys.whole(at + "gradient_accumulation_steps"));
        draft.set("workload.global_batch",
                  std::to_string(*count) + " per rank",
                  at + "gradient_accumulation_steps");
        draft.assume("layout.micro_batch",
                     "the batch is of one sample a microbatch: train.py says how many it has");
    }
    FABRICAST_ASSIGN(const auto gathers, keys.flag(at + "zero3_save_16bit_model"));
    if (gathers.value_or(false) && stage == 3) {
        noteFullCheckpoint(draft, at + "zero3_save_16bit_model");
    }
    return importDeepSpeedOffload(
        draft, at + "offload_param_device", at + "offload_optimizer_device", *stage);
}

/// Of torchao, whose recipe is tensorwise where the program makes no other one.
Result<void> importAccelerateFp8(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const char* const backend =
        keys.has("fp8_config.backend") ? "fp8_config.backend" : "fp8_config.fp8_backend";
    const std::string name = keys.text(backend).value_or("");
    if (name != "AO" && name != "ao") {
        return keys.refuse(
            *keys.use(name.empty() ? "mixed_precision" : backend),
            name.empty() ? "fp8 does not say which recipe" : "\"" + name + "\" is not modelled",
            "fp8_config with backend: AO, or bf16 with --precision fp8_tensorwise "
            "over it");
    }
    draft.set("settings.kernels.quantization", "fp8_tensorwise", backend);
    draft.note(
        "fp8 of torchao is tensorwise, as Accelerate makes it where the program gives no "
        "AORecipeKwargs");
    return {};
}

Result<void> importMixedPrecision(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const bool zero = keys.text("distributed_type") == "DEEPSPEED";  // whose file may say it
    const std::string mixed = keys.text("mixed_precision").value_or(zero ? "bf16" : "no");
    if (mixed == "fp8") {
        return importAccelerateFp8(draft);
    }
    if (mixed != "fp16" && mixed != "no" && mixed != "bf16") {
        return keys.refuse(
            *keys.use("mixed_precision"), "is no, fp16, bf16 or fp8", "mixed_precision: bf16");
    }
    if (mixed == "fp16" || mixed == "no") {
        draft.set("workload.precision", mixed == "no" ? "fp32" : "fp16", "mixed_precision");
    }
    return {};
}

}  // namespace

Result<JsonValue> importAccelerate(LaunchKeys& keys) {
    ScenarioDraft draft(keys);
    const std::string type = keys.text("distributed_type").value_or("NO");
    draft.set("stack", "accelerate", "distributed_type");
    if (type == "FSDP") {
        FABRICAST_TRY(importFsdp(draft));
    } else if (type == "DEEPSPEED") {
        FABRICAST_TRY(importZeroOfAccelerate(draft));
    } else if (type == "MULTI_GPU" || type == "NO") {
        draft.set("layout.shard", "none", "distributed_type");
    } else {
        return keys.refuse(*keys.use("distributed_type"),
                           "\"" + type + "\" is not modelled",
                           "FSDP, DEEPSPEED, MULTI_GPU or NO");
    }
    FABRICAST_TRY(importAccelerateMesh(draft));
    FABRICAST_TRY(importMixedPrecision(draft));
    FABRICAST_TRY(importSampleArguments(draft));
    FABRICAST_TRY(importPeft(draft));
    FABRICAST_TRY(importLigerArguments(draft));
    FABRICAST_TRY(importTrainerSaving(draft, "--"));
    if (keys.text("dynamo_config.dynamo_backend").value_or("NO") != "NO") {
        draft.set("settings.kernels.compile", true, "dynamo_config.dynamo_backend");
    }
    return draft.finish("accelerate",
                        {"torchrun ",
                         "compute_environment",
                         "machine_rank",
                         "main_",
                         "rdzv_backend",
                         "same_network",
                         "use_cpu",
                         "num_machines",
                         "debug",
                         "enable_cpu_affinity",
                         "downcast_bf16",
                         "tpu",
                         "gpu_ids",
                         "dynamo_config.",
                         "fsdp_config.fsdp_auto_wrap",
                         "fsdp_config.fsdp_transformer",
                         "fsdp_config.fsdp_state_dict",
                         "fsdp_config.fsdp_cpu_ram",
                         "fsdp_config.fsdp_sync",
                         "fsdp_config.fsdp_use_orig",
                         "parallelism_config.parallelism_config_sp_",
                         "deepspeed_config.zero3_",
                         "deepspeed_config.deepspeed_",
                         "deepspeed_config.gradient_clipping"});
}

}  // namespace fabricast
