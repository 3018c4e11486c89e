#include "planner/spec/size_divisions.h"
#include "planner/stack/adapter_rules.h"
#include "planner/stack/model_code.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"
#include "planner/stack/titan.h"
#include "planner/stack/torch_methods.h"

#include <array>
#include <string>

namespace fabricast {

namespace {

/// dp · cp ranks as torchtitan's mesh has them: replicate x shard x cp.
struct DataMesh {
    std::int64_t replicate = 1;
    std::int64_t shard = 1;
};

Result<DataMesh> dataMesh(const Layout& layout) {
    if (layout.shard == Shard::None) {
        if (layout.cp > 1) {  // its mesh for FSDP is dp_shard x cp
            return breaks("layout.shard",
                          "parameters are always sharded over the ranks of cp",
                          layout.dp > 1 ? "shard=hsdp,shard_size=" + text(layout.cp)
                                        : std::string("shard=fsdp"));
        }
        if (layout.dp > 1 && layout.tp * layout.pp > 1) {
            // models/llama3/infra/parallelize.py of 0.2.2; 0.3.0 shards over one rank instead
            return breaks("layout.shard",
                          "DDP has not supported > 1D parallelism",
                          "shard=fsdp, or tp=1 and pp=1");
        }
        return DataMesh{.replicate = layout.dp};
    }
    const std::int64_t group = layout.shardSize > 0 ? layout.shardSize : layout.replicas();
    if (group % layout.cp != 0) {
        return breaks(
            "layout.shard_size",
            "a shard group of " + text(group) + " is not a multiple of cp " + text(layout.cp),
            shardSizesHint(layout));
    }
    return DataMesh{.replicate = layout.replicas() / group, .shard = group / layout.cp};
}

Result<void> checkTorchtitanMesh(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    FABRICAST_ASSIGN(const DataMesh mesh, dataMesh(layout));
    if (layout.world() != scenario.cluster.gpus()) {
        return breaks("layout.dp",
                      "Invalid parallel dims: dp_replicate(" + text(mesh.replicate) +
                          ") * dp_shard(" + text(mesh.shard) + ") * cp(" + text(layout.cp) +
                          ") * tp(" + text(layout.tp) + ") * pp(" + text(layout.pp) +
                          ") != WORLD_SIZE(" + text(scenario.cluster.gpus()) + ")",
                      checkWorld(scenario).error().hint);
    }
    const std::int64_t sparse = mesh.shard * layout.cp * layout.tp;
    if (sparse % layout.ep != 0) {
        return breaks("layout.ep",
                      "expert_parallel_degree (" + text(layout.ep) +
                          ") must divide dp_shard * cp * tp (" + text(sparse) + ")",
                      divisorsHint("ep", sparse));
    }
    return {};
}

Result<void> checkModel(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const ModelSpec& model = scenario.model;
    const auto degree = [&layout] {
        return "tensor_parallel_degree (" + text(layout.tp) + ") must divide ";
    };
    const SaidSizes sizes = saidSizes(model, layout.tp, layout.ep);
    if (!isEven(sizes, SizeDivision::HeadsByTp)) {
        return breaks("layout.tp",
                      degree() + "n_heads (" + text(model.attention.heads) + ").",
                      divisorsHint("tp", model.attention.heads));
    }
    if (!isEven(sizes, SizeDivision::KvHeadsByTp)) {
        return breaks("layout.tp",
                      degree() + "n_kv_heads (" + text(model.attention.kvHeads) + ").",
                      divisorsHint("tp", model.attention.kvHeads));
    }
    if (!isEven(sizes, SizeDivision::VocabByTp)) {
        return breaks("layout.tp",
                      "the vocabulary of " + text(model.vocab) +
                          " is not a multiple of tp: ranks past the remainder fail",
                      "tp that divides " + text(model.vocab));
    }
    if (!isEven(sizes, SizeDivision::ExpertsByEp)) {
        return breaks("layout.ep",
                      "num_experts (" + text(model.moe->experts) +
                          ") must be divisible by expert_parallel_degree (" + text(layout.ep) +
                          ").",
                      divisorsHint("ep", model.moe->experts));
    }
    if (model.tiedEmbeddings && layout.pp > 1) {
        return breaks("layout.pp", "Weight tying is not supported with Pipeline Parallel.", "pp=1");
    }
    return {};
}

Result<void> checkTorchtitanRun(const Scenario& scenario) {
    const std::int64_t sequence = scenario.workload.sequence;
    const std::int64_t longest = scenario.model.maxPositions;
    if (longest <= 0 || sequence <= longest) {
        return {};
    }
    return breaks("workload.sequence",
                  "Training sequence length " + text(sequence) +
                      " exceeds attention RoPE maximum supported sequence length " + text(longest) +
                      ".",
                  "seq=" + text(longest));
}

Result<void> checkTokens(const Scenario& scenario) {
    FABRICAST_TRY(checkTorchtitanRun(scenario));
    const Layout& layout = scenario.layout;
    const std::int64_t sequence = scenario.workload.sequence;
    const std::int64_t divisor = (layout.sp ? layout.tp : 1) * (layout.cp > 1 ? 2 * layout.cp : 1);
    if (sequence % divisor != 0) {
        return breaks("workload.sequence",
                      "The number of tokens per pipeline microbatch (" + text(sequence) +
                          ") must be divisible by " + text(divisor) +
                          " for the configured sequence/context parallelism.",
                      multiplesHint("seq", sequence, divisor));
    }
    const std::int64_t round = layout.microBatch * layout.dp;
    const std::int64_t batch = scenario.workload.globalBatch;
    if (batch % round != 0) {
        return breaks("workload.global_batch",
                      "global batch size must be multiple of local batch size times data-parallel "
                      "degree (" +
                          text(batch) + " % (" + text(layout.microBatch) + " * " + text(layout.dp) +
                          ") != 0)",
                      multiplesHint("global_batch", batch, round));
    }
    return {};
}

// none is data_parallel_replicate_degree alone
constexpr std::array kTorchtitanShards = {Shard::Fsdp, Shard::Hsdp, Shard::None};
constexpr std::array kTorchtitanContext = {CpKind::AllGather, CpKind::Ring};
constexpr std::array kTorchtitanSchedules = {ScheduleKind::OneFOneB,
                                             ScheduleKind::Gpipe,
                                             ScheduleKind::Interleaved,
                                             ScheduleKind::LoopedBfs,
                                             ScheduleKind::InterleavedZb,
                                             ScheduleKind::ZbV,
                                             ScheduleKind::DualPipeV};
constexpr std::array kTorchtitanOffloads = {Offload::ParametersCpu};  // training.enable_cpu_offload
constexpr StackAxes kTorchtitanAxes{.tensor = true,
                                    .sequence = true,
                                    .sequenceWithTensor = true,  // enable_sequence_parallel
                                    .pipeline = true,
                                    .virtualPipeline = true,
                                    .expert = true,
                                    .context = kTorchtitanContext,
                                    .shards = kTorchtitanShards,
                                    .schedules = kTorchtitanSchedules,
                                    .offloads = kTorchtitanOffloads};

// mixed_precision_param is bfloat16 or float32. AdamW is its own, Muon its DistMuon; torchao's
// AdamW takes its place through the optimizers container.
constexpr std::array kTorchtitanOptimizers = {
    OptimizerKind::AdamW, OptimizerKind::AdamW8bit, OptimizerKind::Muon};
constexpr std::array kCompute = {Dtype::Bf16, Dtype::Fp32};
constexpr std::array kRecompute = {Checkpointing::Selective, Checkpointing::Full};
constexpr StackMethods kTorchtitanMethods{.optimizers = kTorchtitanOptimizers,
                                          .quantizations = kTorchaoLinears,
                                          .compute = kCompute,
                                          .recompute = kRecompute,
                                          .lora = true};

// torchtitan 0.3: fp32 shards, bf16 compute, fp32 reduce-scatter in every micro-step, fused AdamW,
// SelectiveAC, sequence parallel with tp. PP reduces once and does not reshard (reshard "default").
Settings torchtitanDefaults(const Layout& layout, Tuning tuning) {
    Settings settings;
    settings.engine = layout.shard == Shard::None && layout.dp > 1 ? Engine::Ddp : Engine::Fsdp2;
    settings.kernels = torchtitanKernels();
    settings.precision = {.parameters = Dtype::Fp32,
                          .compute = Dtype::Bf16,
                          .gradients = Dtype::Fp32,
                          .reduce = Dtype::Fp32,
                          .moments = Dtype::Fp32,
                          .tf32 = false};  // it never asks PyTorch for it
    settings.recompute.kind = Checkpointing::Selective;
    // pipeline_parallel_first_stage_less_layers and ..._last_stage_less_layers are 1
    settings.pipeline = {.embeddingWeight = 1, .headWeight = 1, .remainder = true};
    settings.optimizer.kernel = OptimizerKernel::Fused;
    settings.optimizer.library = LowBitLibrary::TorchAo;
    settings.torch.sync = GradientSync::EachMicroBatch;
    settings.torch.reshard = Reshard::Default;
    if (tuning == Tuning::Lora) {  // base and adapters in training.dtype
        settings.lora.base = settings.precision.parameters;
        settings.lora.dtype = settings.precision.parameters;
        settings.torch.backend = TitanBackend::PartialDTensor;
    }
    return settings;
}

/// LoRAConverter goes by the names of modules: wqkv is one, and wk and wv are both built of wkv.
constexpr std::array kFusedQkv = {AdaptedTogether{"wqkv", "q+k+v"}};
constexpr std::array kApartQkv = {AdaptedTogether{"wkv", "k+v"}};

/// LoRAConverter of torchtitan 0.3.0.
Result<void> checkAdapters(const Settings& settings) {
    if (settings.tuning != Tuning::Lora) {
        return {};
    }
    if (settings.torch.backend == TitanBackend::SpmdTypes) {
        return breaks("settings.torch.backend",
                      "under spmd_types torchtitan 0.3.0 registers every parameter anew, as a "
                      "trained one: beside its adapters the whole model would be trained",
                      "--set settings.torch.backend=partial_dtensor");
    }
    const LoraSettings& lora = settings.lora;
    if (lora.dora || lora.dropout > 0) {
        return lacks(
            lora.dora ? "settings.lora.dora" : "settings.lora.dropout",
            std::string("torchtitan's LoRA has no ") + (lora.dora ? "magnitudes" : "dropout"),
            lora.dora ? "false, or --stack axolotl" : "0, or --stack axolotl");
    }
    FABRICAST_TRY(checkAdapterTypes("training.dtype", settings));
    return checkTogether(settings.kernels.fusedQkv ? kFusedQkv : kApartQkv, lora.targets);
}

Result<void> checkTorchtitan(const Scenario& scenario) {
    FABRICAST_TRY(checkCommon(torchtitanStack(), scenario));
    FABRICAST_TRY(checkTorchtitanRules(scenario));
    FABRICAST_TRY(checkAdapters(scenario.settings));
    return checkShardedOptimizer(scenario);
}

}  // namespace

Result<void> checkTorchtitanRules(const Scenario& scenario) {
    if (scenario.settings.precision.reduce != Dtype::Fp32) {
        return lacks("settings.precision.reduce",
                     "torchtitan's training.mixed_precision_reduce can only be float32",
                     "--set settings.precision.reduce=fp32, or --stack fsdp2");
    }
    const bool isAsync = scenario.settings.megatron.tensorOverlap && scenario.layout.tp > 1;
    if (isAsync && !scenario.settings.kernels.compile) {
        return breaks("settings.megatron.tensor_overlap",
                      "Async TP requires 'model' in --compile.components and --compile.enable",
                      "--set settings.kernels.compile=true");
    }
    FABRICAST_TRY(checkTorchtitanMesh(scenario));
    FABRICAST_TRY(checkModel(scenario));
    FABRICAST_TRY(checkTokens(scenario));
    return checkTitanStages(scenario);
}

Stack torchtitanStack() {
    return {.name = "torchtitan",
            .title = "TorchTitan",
            .description = "FSDP2 with tensor, pipeline, context and expert parallelism",
            .axes = kTorchtitanAxes,
            .methods = kTorchtitanMethods,
            .defaults = &torchtitanDefaults,
            .check = &checkTorchtitan,
            .checkRun = &checkTorchtitanRun};
}

}  // namespace fabricast
