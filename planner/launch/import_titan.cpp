#include "planner/base/checked.h"
#include "planner/base/small_letters.h"
#include "planner/launch/import_launch.h"
#include "planner/launch/import_settings.h"
#include "planner/launch/scenario_draft.h"
#include "planner/launch/started_ranks.h"
#include "planner/launch/torchtitan_adapters.h"
#include "planner/launch/torchtitan_keys.h"
#include "planner/launch/torchtitan_model.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace fabricast {
namespace {

/// Schedules by torch's names; those with several stages a rank have two unless they say more.
struct TitanSchedule {
    std::string_view name;
    std::string_view ours;
    bool several;
};
constexpr std::array kTitanSchedules = {
    TitanSchedule{"1F1B", "1f1b", false},
    TitanSchedule{"GPipe", "gpipe", false},
    TitanSchedule{"Interleaved1F1B", "interleaved", true},
    TitanSchedule{"LoopedBFS", "looped_bfs", true},
    TitanSchedule{"InterleavedZeroBubble", "interleaved_zb", true},
    TitanSchedule{"ZBVZeroBubble", "zb_v", true},
    TitanSchedule{"DualPipeV", "dualpipe_v", true}};

void importTitanModel(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const std::string assets = keys.text("model.hf_assets_path").value_or("");
    const TitanModel titan{keys.text("model.name").value_or(keys.text("module").value_or("")),
                           keys.text("model.flavor").value_or(""),
                           keys.text("config").value_or("")};
    const std::string model = modelOfTitan(titan, assets);
    if (!model.empty()) {
        draft.set("model", model, titan.config.empty() ? "model.flavor" : "config");
    }
}

Result<void> importMesh(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const std::string at = "parallelism.";
    FABRICAST_ASSIGN(const auto copies, keys.whole(at + "data_parallel_replicate_degree"));
    FABRICAST_ASSIGN(const auto shards, keys.whole(at + "data_parallel_shard_degree"));
    FABRICAST_ASSIGN(const auto context, keys.whole(at + "context_parallel_degree"));
    const std::int64_t replicate = copies.value_or(1);
    const std::int64_t shard = shards.value_or(-1);
    if (shard > 0) {
        draft.set(
            "layout.dp", saturatingProduct(replicate, shard), at + "data_parallel_shard_degree");
    }
    if (replicate > 1 && shard == 1 && context.value_or(1) == 1) {
        draft.set("layout.shard", "none", at + "data_parallel_replicate_degree");
    } else if (replicate > 1 && shard > 0) {
        draft.set("layout.shard", "hsdp", at + "data_parallel_replicate_degree");
        draft.set("layout.shard_size",
                  saturatingProduct(shard, context.value_or(1)),
                  at + "data_parallel_shard_degree");
    } else if (replicate > 1) {
        draft.set("layout.copies", replicate, at + "data_parallel_replicate_degree");
    }
    for (const char* const key : {"tp", "cp", "ep"}) {
        const std::string name = key == std::string_view("tp")   ? "tensor_parallel_degree"
                                 : key == std::string_view("cp") ? "context_parallel_degree"
                                                                 : "expert_parallel_degree";
        FABRICAST_TRY(draft.copyWhole(std::string("layout.") + key, at + name));
    }
    FABRICAST_TRY(draft.copyFlag("layout.sp", at + "enable_sequence_parallel"));
    FABRICAST_TRY(draft.copyWhole("layout.etp", at + "expert_tensor_parallel_degree"));
    if (const auto rotate = keys.text(at + "context_parallel_rotate_method");
        rotate && context.value_or(1) > 1) {
        draft.set("layout.cp_kind",
                  *rotate == "alltoall" ? "ring" : "allgather",
                  at + "context_parallel_rotate_method");
    }
    return {};
}

/// How many stages so many layers each make.
Result<void> importChunks(ScenarioDraft& draft,
                          std::int64_t ranks,
                          std::int64_t layersEach,
                          const ImportContext& context) {
    LaunchKeys& keys = draft.keys();
    const std::string at = "parallelism.pipeline_parallel_";
    FABRICAST_ASSIGN(const auto first, keys.whole(at + "first_stage_less_layers"));
    FABRICAST_ASSIGN(const auto last, keys.whole(at + "last_stage_less_layers"));
    const JsonValue* const model = draft.scenario().find("model");
    const auto layers = model == nullptr ? std::optional<std::int64_t>()
                                         : context.layers(model->text().value_or(""));
    const LaunchKey& key = *keys.use(at + "layers_per_stage");
    if (!layers || layersEach < 1) {
        return keys.refuse(key,
                           layers ? "must be 1 or more" : "needs a model whose layers are known",
                           layers ? "leave it out: one stage a rank, or two of several"
                                  : "-m with the model's name or folder");
    }
    const std::int64_t units = *layers + first.value_or(1) + last.value_or(1);
    const std::int64_t stages = (units + layersEach - 1) / layersEach;
    if (stages % ranks != 0) {
        return keys.refuse(key,
                           "makes " + std::to_string(stages) + " stages, which " +
                               std::to_string(ranks) + " pipeline ranks do not divide",
                           "a number that makes a multiple of " + std::to_string(ranks) +
                               " stages, or leave it out");
    }
    draft.set("layout.vpp", stages / ranks, at + "layers_per_stage");
    return {};
}

Result<void> importStages(ScenarioDraft& draft, const ImportContext& context) {
    LaunchKeys& keys = draft.keys();
    const std::string at = "parallelism.pipeline_parallel_";
    FABRICAST_ASSIGN(const auto stages, keys.whole(at + "degree"));
    const std::string name = keys.text(at + "schedule").value_or("1F1B");
    FABRICAST_ASSIGN(const auto layers, keys.whole(at + "layers_per_stage"));
    FABRICAST_TRY(
        draft.copyWhole("settings.pipeline.embedding_weight", at + "first_stage_less_layers"));
    FABRICAST_TRY(draft.copyWhole("settings.pipeline.head_weight", at + "last_stage_less_layers"));
    if (!stages) {
        return {};
    }
    if (*stages == 1) {
        draft.set("layout.pp", std::int64_t{1}, at + "degree");
        return {};
    }
    if (*stages < 1) {
        return keys.refuse(*keys.use(at + "degree"), "must be 1 or more", "1: no pipeline");
    }
    draft.set("layout.pp", *stages, at + "degree");
    const auto* const schedule =  // torch compares them in small letters
        std::ranges::find_if(kTitanSchedules, [&](const TitanSchedule& one) {
            return inSmallLetters(one.name) == inSmallLetters(name);
        });
    if (schedule == kTitanSchedules.end()) {
        return keys.refuse(*keys.use(at + "schedule"),
                           "is a schedule that is not modelled",
                           "1F1B, or Interleaved1F1B");
    }
    draft.set("layout.schedule", schedule->ours, at + "schedule");
    if (layers) {
        FABRICAST_TRY(importChunks(draft, *stages, *layers, context));
    } else if (schedule->several) {
        draft.set("layout.vpp", std::int64_t{2}, at + "schedule");
    }
    return {};
}

/// Where the shards are left to torchtitan, they are what the other axes leave of the ranks.
Result<void> importTitanRanks(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_ASSIGN(const std::optional<StartedRanks> started, startedRanks(draft));
    if (!started) {
        return {};
    }
    const std::string at = "parallelism.";
    std::int64_t others = 1;
    for (const char* const axis :
         {"data_parallel_replicate", "tensor_parallel", "context_parallel", "pipeline_parallel"}) {
        FABRICAST_ASSIGN(const auto degree, keys.whole(at + axis + "_degree"));
        others = saturatingProduct(others, std::max<std::int64_t>(1, degree.value_or(1)));
    }
    FABRICAST_ASSIGN(const auto copies, keys.whole(at + "data_parallel_replicate_degree"));
    FABRICAST_ASSIGN(const auto shards, keys.whole(at + "data_parallel_shard_degree"));
    const std::int64_t shard = shards.value_or(-1) > 0 ? *shards : started->count / others;
    if (saturatingProduct(others, shard) != started->count || shard == 0) {
        return fail(Error::Code::BadInput,
                    keys.where(*keys.use(started->from)),
                    "the degrees make " + std::to_string(others) +
                        (shards.value_or(-1) > 0 ? " x " + std::to_string(*shards)
                                                 : std::string(" and a whole number of shards")) +
                        ", and " + std::to_string(started->count) + " ranks start",
                    "degrees whose product is " + std::to_string(started->count));
    }
    if (shards.value_or(-1) <= 0) {
        draft.set("layout.dp", saturatingProduct(shard, copies.value_or(1)), started->from);
    }
    return {};
}

Result<void> importTitanBatch(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_TRY(draft.copyWhole("workload.sequence", "training.seq_len"));
    FABRICAST_TRY(checkCounts(keys, {"training.local_batch_size"}));
    FABRICAST_ASSIGN(const auto local, keys.whole("training.local_batch_size"));
    FABRICAST_ASSIGN(const auto global, keys.whole("training.global_batch_size"));
    FABRICAST_ASSIGN(const auto stages, keys.whole("parallelism.pipeline_parallel_degree"));
    FABRICAST_ASSIGN(const auto each, keys.whole("parallelism.pipeline_parallel_microbatch_size"));
    const bool piped = stages.value_or(1) > 1;
    const std::int64_t perRank = local.value_or(8);
    draft.set(
        "layout.micro_batch",
        piped ? each.value_or(1) : perRank,
        piped ? "parallelism.pipeline_parallel_microbatch_size" : "training.local_batch_size");
    if (global.value_or(-1) > 0) {
        draft.set("workload.global_batch", *global, "training.global_batch_size");
    } else {
        draft.set("workload.global_batch",
                  std::to_string(perRank) + " per rank",
                  "training.local_batch_size");
    }
    draft.copyLength("training.steps", "steps");
    return {};
}

Result<void> importTitanKernels(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const auto dtype = [](const std::string& name) {
        return name == "bfloat16" ? "bf16" : name == "float32" ? "fp32" : name;
    };
    if (const auto one = keys.text("training.dtype")) {
        draft.set("settings.precision.parameters", dtype(*one), "training.dtype");
    }
    if (const auto one = keys.text("training.mixed_precision_param")) {
        draft.set("settings.precision.compute", dtype(*one), "training.mixed_precision_param");
    }
    if (const auto one = keys.text("training.mixed_precision_reduce")) {
        draft.set("settings.precision.reduce", dtype(*one), "training.mixed_precision_reduce");
    }
    FABRICAST_ASSIGN(const auto offload, keys.flag("training.enable_cpu_offload"));
    if (offload.value_or(false)) {
        draft.set("layout.offload", "parameters_cpu", "training.enable_cpu_offload");
    }
    if (keys.has("model.flavor")) {  // 0.2.2: ChunkedCELoss came with 0.3.0
        draft.set("settings.kernels.loss", "fp32_upcast", "model.flavor");
    }
    FABRICAST_TRY(draft.copyFlag("settings.kernels.compile", "compile.enable"));
    const LaunchKey* const parts = keys.use("compile.components");
    if (parts != nullptr && std::ranges::find(parts->values, "model") == parts->values.end()) {
        draft.set("settings.kernels.compile", false, "compile.components");
    }
    for (const char* const key :
         {"compile.enable_async_tensor_parallel", "parallelism.enable_async_tensor_parallel"}) {
        FABRICAST_ASSIGN(const auto async, keys.flag(key));
        if (async.value_or(false)) {
            draft.set("settings.megatron.tensor_overlap", true, key);
        }
    }
    if (const auto reshard = keys.text("parallelism.fsdp_reshard_after_forward")) {
        draft.set("settings.torch.reshard", *reshard, "parallelism.fsdp_reshard_after_forward");
    }
    if (const auto backend = keys.text("parallelism.spmd_backend")) {
        draft.set("settings.torch.backend", *backend, "parallelism.spmd_backend");
    }
    if (const auto name = keys.text("optimizer.name");
        name && *name != "AdamW" && *name != "Adam") {
        return keys.refuse(
            *keys.use("optimizer.name"), "\"" + *name + "\" is not modelled", "AdamW");
    }
    if (const auto how = keys.text("optimizer.implementation")) {
        draft.set("settings.optimizer.kernel",
                  *how == "for-loop" ? "for_loop" : *how,
                  "optimizer.implementation");
    }
    if (const LaunchKey* const converters = keys.use("model.converters")) {
        for (const std::string& one : converters->values) {
            if (one != "float8" && one != "quantize.linear.float8") {
                return keys.refuse(
                    *converters, "\"" + one + "\" is not modelled", "quantize.linear.float8");
            }
            const char* const recipe = "quantize.linear.float8.recipe_name";
            draft.set("settings.kernels.quantization",
                      "fp8_" + keys.text(recipe).value_or("tensorwise"),
                      "model.converters");
        }
    }
    return {};
}

Result<void> importTitanCheckpointing(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const char* const mode = "activation_checkpoint.mode";
    const char* const option = "activation_checkpoint.selective_ac_option";
    const std::string typed = keys.text(mode).value_or("selective");
    const bool old = keys.has("model.flavor");
    const std::string how = keys.text(option).value_or(old ? "2" : "op");
    if (typed == "selective" && how != "op") {
        const LaunchKey* const at = keys.use(keys.has(option) ? option : mode);
        return at == nullptr ? Result<void>(fail(Error::Code::Unsupported,
                                                 keys.source(),
                                                 "every second layer, torchtitan's default for "
                                                 "recomputation, is not modelled",
                                                 "selective_ac_option = \"op\""))
                             : Result<void>(keys.refuse(*at,
                                                        "of every few layers is not modelled",
                                                        "selective_ac_option = \"op\""));
    }
    if (typed != "selective" && typed != "full" && typed != "none") {
        return keys.refuse(
            *keys.use(mode), "\"" + typed + "\" is not modelled", "none, selective or full");
    }
    draft.set("layout.recompute", typed, mode);
    return {};
}

}  // namespace

Result<JsonValue> importTitan(LaunchKeys& file, const ImportContext& context) {
    FABRICAST_TRY(addTitanModule(file, context.read));
    LaunchKeys keys = titanKeysOf(file);
    ScenarioDraft draft(keys);
    draft.set("stack", "torchtitan", "");
    importTitanModel(draft);
    FABRICAST_TRY(draft.refuseUnmodelled(std::array<std::string_view, 2>{
        "parallelism.disable_loss_parallel", "optimizer.early_step_in_backward"}));
    FABRICAST_TRY(importMesh(draft));
    FABRICAST_TRY(importStages(draft, context));
    FABRICAST_TRY(importTitanRanks(draft));
    FABRICAST_TRY(importTitanBatch(draft));
    FABRICAST_TRY(importTitanKernels(draft));
    FABRICAST_TRY(importTitanAdapters(draft));
    FABRICAST_TRY(importTitanCheckpointing(draft));
    FABRICAST_TRY(importTitanValidation(draft));
    FABRICAST_ASSIGN(const auto saves, keys.flag("checkpoint.enable"));
    const std::string async = keys.text("checkpoint.async_mode").value_or("disabled");
    if (saves.value_or(false)) {
        FABRICAST_TRY(importSaving(draft, "checkpoint.interval", async != "disabled"));
    }
    file.markAsIn(keys);
    return draft.finish("torchtitan",
                        {"job",
                         "metrics",
                         "profiling",
                         "checkpoint",
                         "lr_scheduler",
                         "optimizer.",
                         "training.steps",
                         "training.dataset",
                         "training.max_norm",
                         "training.disable_cuda_graphs",
                         "validation",
                         "comm.",

                         "model.print",
                         "experimental.custom_import",
                         "torchrun",
                         "script",
                         "quantize.",
                         "training.gc",
                         "debug",
                         "profiler",
                         "dump_folder",
                         "dataloader",
                         "tokenizer"});
}

}  // namespace fabricast
