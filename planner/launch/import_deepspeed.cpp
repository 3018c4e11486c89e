#include "planner/base/checked.h"
#include "planner/launch/deepspeed_experts.h"
#include "planner/launch/import_hugging_face.h"
#include "planner/launch/import_launch.h"
#include "planner/launch/import_settings.h"
#include "planner/launch/liger_kernels.h"
#include "planner/launch/scenario_draft.h"
#include "planner/launch/started_ranks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

/// Numbers and switches of "zero_optimization" that are settings of the same meaning.
constexpr std::array kZeroNumbers = {
    std::pair{"reduce_bucket_size"sv, "reduce_bucket"sv},
    std::pair{"allgather_bucket_size"sv, "allgather_bucket"sv},
    std::pair{"sub_group_size"sv, "sub_group"sv},
    std::pair{"stage3_prefetch_bucket_size"sv, "prefetch_bucket"sv},
    std::pair{"stage3_param_persistence_threshold"sv, "persistence_threshold"sv},
    std::pair{"stage3_max_live_parameters"sv, "max_live"sv},
    std::pair{"stage3_max_reuse_distance"sv, "max_reuse"sv}};
constexpr std::array kZeroFlags = {
    std::pair{"overlap_comm"sv, "overlap_comm"sv},
    std::pair{"contiguous_gradients"sv, "contiguous_gradients"sv},
    std::pair{"reduce_scatter"sv, "reduce_scatter"sv},
    std::pair{"use_multi_rank_bucket_allreduce"sv, "multi_rank_buckets"sv},
    std::pair{"round_robin_gradients"sv, "round_robin"sv}};

/// What AutoEP does beside its defaults is not modelled.
constexpr std::array kAutoEpDefaults = {std::pair{"comm_backend"sv, "comm"sv},
                                        std::pair{"use_grouped_mm"sv, "true"sv},
                                        std::pair{"combine_impl"sv, "auto"sv},
                                        std::pair{"gate_up_impl"sv, "separate"sv},
                                        std::pair{"score_apply"sv, "auto"sv},
                                        std::pair{"async_split_plan"sv, "false"sv}};

constexpr std::array<std::string_view, 12> kUnmodelledByDeepspeed = {
    "zero_optimization",
    "zero_optimization.zero_hpz_partition_size",
    "zero_optimization.zero_quantized_weights",
    "zero_optimization.zero_quantized_gradients",
    "zero_optimization.zero_quantized_nontrainable_weights",
    "zero_optimization.mics_shard_size",
    "zero_optimization.cpu_offload",
    "zero_optimization.offload_optimizer.ratio",
    "compile.deepcompile",
    "bf16.bf16_master_weights_and_grads",
    "bf16.bf16_optimizer_states",
    "pipeline.stages"};

Result<void> importZero(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const std::string zero = "zero_optimization.";
    FABRICAST_ASSIGN(const auto stage, keys.whole(zero + "stage"));
    const std::array<const char*, 4> shards = {"none", "zero1", "zero2", "zero3"};
    if (stage && (*stage < 0 || *stage > 3)) {
        return keys.refuse(*keys.use(zero + "stage"), "is 0 to 3", "\"stage\": 3");
    }
    draft.set("layout.shard", shards[static_cast<std::size_t>(stage.value_or(0))], zero + "stage");
    for (const auto& [key, setting] : kZeroNumbers) {
        FABRICAST_TRY(
            draft.copyWhole("settings.deepspeed." + std::string(setting), zero + std::string(key)));
    }
    for (const auto& [key, setting] : kZeroFlags) {
        FABRICAST_TRY(
            draft.copyFlag("settings.deepspeed." + std::string(setting), zero + std::string(key)));
    }
    return {};
}

/// AutoEP, with the defaults of what else it is asked: all-to-alls of deepspeed.comm, grouped
/// products.
Result<void> importAutoEp(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const std::string section = "expert_parallel.";
    FABRICAST_ASSIGN(const auto enabled, keys.flag(section + "enabled"));
    if (!enabled.value_or(false)) {
        (void)keys.use(section + "autoep_size");
        return {};
    }
    draft.set("settings.kernels.experts", "autoep", section + "enabled");
    FABRICAST_TRY(draft.copyWhole("layout.ep", section + "autoep_size"));
    for (const auto& [key, usual] : kAutoEpDefaults) {
        const std::string path = section + std::string(key);
        if (const auto value = keys.text(path); value && *value != usual) {
            return keys.refuse(*keys.use(path), "is not modelled", std::string(usual));
        }
    }
    return {};
}

Result<void> importOffload(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const std::string parameters = "zero_optimization.offload_param.";
    const std::string optimizer = "zero_optimization.offload_optimizer.";
    FABRICAST_ASSIGN(const auto stage, keys.whole("zero_optimization.stage"));
    FABRICAST_TRY(importDeepSpeedOffload(
        draft, parameters + "device", optimizer + "device", stage.value_or(0)));
    FABRICAST_TRY(draft.copyFlag("settings.deepspeed.pin_memory", optimizer + "pin_memory"));
    (void)keys.use(parameters + "pin_memory");
    (void)keys.use(parameters + "nvme_path");
    (void)keys.use(optimizer + "nvme_path");
    return {};
}

Result<void> importDtypes(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_ASSIGN(const auto bf16, keys.flag("bf16.enabled"));
    FABRICAST_ASSIGN(const auto fp16, keys.flag("fp16.enabled"));
    FABRICAST_ASSIGN(const auto autocast, keys.flag("torch_autocast.enabled"));
    (void)keys.use("torch_autocast.dtype");
    if (fp16.value_or(false)) {
        draft.set("workload.precision", "fp16", "fp16.enabled");
    } else if (autocast.value_or(false)) {
        draft.set("settings.precision.autocast", true, "torch_autocast.enabled");
    } else if ((bf16 && !*bf16) || !(keys.has("bf16") || keys.has("fp16"))) {
        draft.set("workload.precision", "fp32", "bf16.enabled");
    }
    if (const auto dtype = keys.text("data_types.grad_accum_dtype")) {
        draft.set("settings.precision.gradients", *dtype, "data_types.grad_accum_dtype");
    }
    if (const auto dtype = keys.text("communication_data_type")) {
        draft.set("settings.precision.reduce", *dtype, "communication_data_type");
    }
    return {};
}

Result<void> importBatch(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const char* const micro = "train_micro_batch_size_per_gpu";
    const char* const steps = "gradient_accumulation_steps";
    FABRICAST_TRY(checkCounts(keys, {micro, steps, "train_batch_size"}));
    FABRICAST_ASSIGN(const auto each, keys.whole(micro));
    FABRICAST_ASSIGN(const auto count, keys.whole(steps));
    FABRICAST_ASSIGN(const auto all, keys.whole("train_batch_size"));
    if (each) {
        draft.set("layout.micro_batch", *each, micro);
    }
    const bool counts = keys.text(steps).has_value() || !keys.has(steps);  // not left to others
    const std::int64_t round = saturatingProduct(each.value_or(1), count.value_or(1));
    if (all && each && counts && round > 0 && *all % round != 0) {
        return keys.refuse(*keys.use("train_batch_size"),
                           std::to_string(*all) + " is not a multiple of " + std::to_string(round) +
                               ", a micro-batch times gradient_accumulation_steps",
                           "leave it out: it follows from the other two and the ranks");
    }
    if (all) {
        draft.set("workload.global_batch", *all, "train_batch_size");
        if (each && count && *all >= round && round > 0) {
            draft.set("layout.dp", *all / round, "train_batch_size");
            draft.set("imported.batch_ranks", *all / round, "train_batch_size");
        }
    } else if (each && counts) {
        draft.set(
            "workload.global_batch", std::to_string(round) + " per rank", count ? steps : micro);
    }
    return {};
}

/// Ranks with samples of their own, where a script starts them.
Result<void> importDeepspeedRanks(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_ASSIGN(const std::optional<StartedRanks> started, startedRanks(draft));
    FABRICAST_ASSIGN(const auto tensor, keys.whole("tensor_parallel.autotp_size"));
    FABRICAST_ASSIGN(const auto split, keys.whole("sequence_parallel_size"));
    FABRICAST_ASSIGN(const auto stages, keys.whole("--pipeline-parallel-size"));
    const std::int64_t together = saturatingProduct(std::max<std::int64_t>(1, tensor.value_or(1)),
                                                    std::max<std::int64_t>(1, split.value_or(1)),
                                                    std::max<std::int64_t>(1, stages.value_or(1)));
    if (!started) {
        return {};
    }
    if (started->count % together != 0) {
        return fail(Error::Code::BadInput,
                    keys.where(*keys.use(started->from)),
                    std::to_string(started->count) + " ranks are not a multiple of the " +
                        std::to_string(together) + " that " + keys.source() +
                        " and the script's arguments put together",
                    "a multiple of " + std::to_string(together) + " ranks");
    }
    return setDataRanks(draft, started->count / together, started->from);
}

}  // namespace

Result<JsonValue> importDeepspeed(LaunchKeys& keys) {
    ScenarioDraft draft(keys);
    draft.set("stack", "deepspeed", "");
    if (const auto model = keys.text("--model_name_or_path")) {
        draft.set("model", *model, "--model_name_or_path");
    }
    FABRICAST_TRY(draft.refuseUnmodelled(kUnmodelledByDeepspeed));
    FABRICAST_TRY(importZero(draft));
    FABRICAST_TRY(importAutoEp(draft));
    FABRICAST_TRY(importOffload(draft));
    FABRICAST_TRY(importDtypes(draft));
    FABRICAST_TRY(importBatch(draft));
    FABRICAST_TRY(draft.copyWhole("layout.tp", "tensor_parallel.autotp_size"));
    FABRICAST_TRY(draft.copyWhole("layout.pp", "--pipeline-parallel-size"));
    FABRICAST_ASSIGN(const auto split, keys.whole("sequence_parallel_size"));
    if (split && *split > 1) {
        draft.set("layout.cp", *split, "sequence_parallel_size");
        draft.set("layout.cp_kind", "ulysses", "sequence_parallel_size");
    }
    FABRICAST_TRY(importDeepspeedRanks(draft));
    FABRICAST_TRY(importSampleArguments(draft));
    FABRICAST_TRY(importExpertArguments(draft));
    FABRICAST_TRY(importPeft(draft));
    FABRICAST_TRY(importLigerArguments(draft));
    FABRICAST_TRY(importTrainerSaving(draft, "--"));
    const std::string gathers = "zero_optimization.stage3_gather_16bit_weights_on_model_save";
    FABRICAST_ASSIGN(const auto isGathered, keys.flag(gathers));
    if (isGathered.value_or(false) && keys.text("zero_optimization.stage") == "3") {
        noteFullCheckpoint(draft, gathers);
    }
    FABRICAST_ASSIGN(const auto decoupled, keys.flag("checkpoint.writer.decoupled"));
    if (decoupled.value_or(false)) {
        draft.set("operation.checkpoint", "async", "checkpoint.writer.decoupled");
    }
    if (keys.has("optimizer.type")) {  // Trainer takes DeepSpeed's own, whatever --optim says
        (void)keys.use("--optim");
    } else {
        FABRICAST_TRY(importTrainerOptimizer(draft, "--optim"));
    }
    if (const auto type = keys.text("optimizer.type"); type && *type == "Lion") {
        draft.set("workload.optimizer", "lion", "optimizer.type");
    } else if (type && *type != "AdamW" && *type != "Adam") {
        return keys.refuse(*keys.use("optimizer.type"),
                           "is an optimizer that is not modelled",
                           "AdamW, Adam or Lion");
    }
    return draft.finish("deepspeed",
                        {"torchrun",
                         "optimizer.params",
                         "scheduler",
                         "gradient_clipping",
                         "steps_per_print",
                         "wall_clock_breakdown",
                         "zero_allow_untested_optimizer",
                         "expert_parallel.",
                         "zero_optimization.stage3_gather_fp16",
                         "fp16.",
                         "aio",
                         "checkpoint.",
                         "tensorboard",
                         "zero_optimization.allgather_partitions"});
}

}  // namespace fabricast
