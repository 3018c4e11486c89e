#include "planner/spec/stage_split.h"
#include "planner/stack/model_code.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"
#include "planner/stack/torch_methods.h"

#include <array>

namespace fabricast {

namespace {

int stageOf(Shard shard) {
    switch (shard) {
        case Shard::Zero1:
            return 1;
        case Shard::Zero2:
            return 2;
        case Shard::Zero3:
            return 3;
        default:
            return 0;
    }
}

Result<void> checkBatchParameters(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const std::int64_t batch = scenario.workload.globalBatch;
    const std::int64_t round = layout.microBatch * layout.dp;
    if (batch % round == 0) {
        return {};
    }
    return breaks("workload.global_batch",
                  "Check batch related parameters. train_batch_size is not equal to "
                  "micro_batch_per_gpu * gradient_acc_step * world_size " +
                      text(batch) + " != " + text(layout.microBatch) + " * " + text(batch / round) +
                      " * " + text(layout.dp),
                  multiplesHint("global_batch", batch, round));
}

Result<void> checkSharding(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const PrecisionSettings& precision = scenario.settings.precision;
    const int stage = stageOf(layout.shard);
    if (layout.shardSize > 0 && layout.shardSize != layout.replicas()) {
        return lacks("layout.shard_size",
                     "MiCS ZeRO-3 sharding has been removed",
                     "leave shard_size out, or stack=fsdp2 with shard=hsdp");
    }
    if (layout.pp > 1 && stage >= 2) {
        return breaks("layout.shard",
                      "ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism",
                      "shard=zero1");
    }
    const bool mixed = precision.parameters != precision.gradients && !precision.autocast;
    if (stage == 0 && mixed && layout.pp == 1) {
        return breaks("settings.precision.gradients",
                      "unsupported mix of model_dtype=torch.bfloat16 and "
                      "grad_accum_dtype=torch.float32",
                      "gradients in the parameters' dtype, or shard=zero1");
    }
    return {};
}

Result<void> checkZeroOffloadSettings(const Scenario& scenario) {
    const Offload offload = scenario.layout.offload;
    if (offload == Offload::None || offload == Offload::Activations) {
        return {};
    }
    const OptimizerKind optimizer = scenario.settings.optimizer.kind;
    if (optimizer != OptimizerKind::AdamW && optimizer != OptimizerKind::Lion) {
        return breaks("settings.optimizer.kind",
                      "You are using ZeRO-Offload with a client provided optimizer: only "
                      "DeepSpeedCPUAdam and DeepSpeedCPULion run on the host",
                      "--optimizer adamw, or --optimizer lion");
    }
    return {};
}

Result<void> checkUlysses(const Scenario& scenario) {
    const std::int64_t size = scenario.layout.cp;
    const AttentionSpec& attention = scenario.model.attention;
    if (size == 1) {
        return {};
    }
    if (scenario.layout.tp > 1 || scenario.layout.pp > 1) {
        return breaks("layout.cp",
                      "DeepSpeed's sequence parallel does not work with tensor parallel or "
                      "pipeline parallel",
                      "cp=1, or tp=1 and pp=1");
    }
    if (attention.sinks) {  // s_aux goes to the kernel as it is, of all heads
        return lacks("layout.cp",
                     "DeepSpeed's sequence parallel splits heads, and does not split the attention "
                     "sinks of " +
                         scenario.model.name + " with them",
                     "cp=1");
    }
    const KernelSettings& kernels = scenario.settings.kernels;
    if (kernels.code == ModelCode::HuggingFace && kernels.attention == AttentionKernel::Unfused) {
        return lacks("settings.kernels.attention",
                     "eager attn_implementation isn't currently supported by Ulysses sequence "
                     "parallelism because it requires a 4D attention_mask",
                     "settings.kernels.attention=flash, or cp=1");
    }
    if (attention.heads % size != 0) {
        return breaks("layout.cp",
                      "Attention head count " + text(attention.heads) +
                          " is not divisible by SP size " + text(size),
                      divisorsHint("cp", attention.heads));
    }
    const std::int64_t kvHeads = attention.kvHeads;
    if (kvHeads > 0 && kvHeads % size != 0 && size % kvHeads != 0) {
        return breaks("layout.cp",
                      "KV attention head count " + text(kvHeads) + " is not divisible by SP size " +
                          text(size) + " or vice versa",
                      divisorsHint("cp", kvHeads));
    }
    if (scenario.workload.sequence % size != 0) {
        return breaks("workload.sequence",
                      "batch's seqlen=" + text(scenario.workload.sequence) +
                          " isn't divisible by sp-size=" + text(size),
                      multiplesHint("seq", scenario.workload.sequence, size));
    }
    return {};
}

/// Up to release 0.19.3 AutoTP trained at stages 0 to 2 alone; 0.19.8 takes stage 3 as well.
Result<void> checkDeepspeedTensorParallel(const Scenario& scenario) {
    const std::int64_t heads = scenario.model.attention.heads;
    const std::int64_t size = scenario.layout.tp;
    if (size > 1 && scenario.layout.pp > 1) {
        return breaks("layout.tp",
                      "AutoTP counts every rank but tp as data parallel, and its pipeline asserts "
                      "dp_world_size == grid.data_parallel_size",
                      "tp=1, or pp=1");
    }
    if (heads % size != 0) {
        return lacks(
            "layout.tp",
            "AutoTP would split heads unevenly: " + text(heads) + " heads, which is not forecast",
            divisorsHint("tp", heads));
    }
    return {};
}

Result<void> checkDeepspeedExperts(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const bool native = scenario.settings.kernels.experts == ExpertKernel::DeepSpeed;
    if (scenario.model.moe && native && layout.shard == Shard::Zero3) {
        return breaks("layout.shard",
                      "Native DeepSpeed MoE is not supported with ZeRO Stage 3. Use AutoEP or "
                      "choose ZeRO stage 1/2.",
                      "shard=zero2");
    }
    if (!scenario.model.moe || layout.ep == 1) {
        return {};
    }
    const std::int64_t experts = scenario.model.moe->experts;
    if (experts % layout.ep != 0) {
        return breaks("layout.ep",
                      "Number of experts (" + text(experts) +
                          ") should be divisible by expert parallel size (" + text(layout.ep) + ")",
                      divisorsHint("ep", experts));
    }
    if (layout.replicas() % layout.ep != 0) {
        return breaks("layout.ep",
                      text(layout.replicas()) + " is not divisible by " + text(layout.ep) +
                          ": expert groups are blocks of data parallel ranks",
                      divisorsHint("ep", layout.replicas()));
    }
    if (layout.shard == Shard::Zero3 && layout.cp > 1) {
        return breaks("layout.cp",
                      "AutoEP with ZeRO Stage 3 does not support sequence parallelism yet "
                      "(sequence_parallel_size=" +
                          text(layout.cp) + ").",
                      "shard=zero2");
    }
    return {};
}

constexpr std::array kDeepspeedShards = {Shard::Zero3, Shard::Zero2, Shard::Zero1, Shard::None};
constexpr std::array kDeepspeedContext = {CpKind::Ulysses};
constexpr std::array kDeepspeedSchedules = {
    ScheduleKind::OneFOneB};  // PipelineModule's TrainSchedule
constexpr std::array kDeepspeedOffloads = {
    Offload::OptimizerCpu, Offload::OptimizerNvme, Offload::ParametersCpu, Offload::ParametersNvme};
constexpr StackAxes kDeepspeedAxes{.tensor = true,
                                   .pipeline = true,
                                   .expert = true,
                                   .context = kDeepspeedContext,
                                   .shards = kDeepspeedShards,
                                   .stagesShard = Shard::Zero1,
                                   .schedules = kDeepspeedSchedules,
                                   .offloads = kDeepspeedOffloads,
                                   .checkOffload = &checkZeroOffload};

// Adam and Lion are DeepSpeed's; the others run with zero_allow_untested_optimizer. It has no
// 8-bit linears of its own.
constexpr StackMethods kDeepspeedMethods{.optimizers = kEveryOptimizer,
                                         .compute = kEveryCompute,
                                         .recompute = kWholeBlocks,
                                         .lora = true,
                                         .quantizedBase = true};

// bf16 enabled: 16-bit weights and gradients, fp32 master and moments, gradients accumulated and
// sent in the model's dtype. Bucket sizes are DeepSpeed's own, in elements; `overlap_comm` is None,
// which means on for stage 3 only; `pin_memory` is true since 0.19.1.
Settings deepspeedDefaults(const Layout& layout, Tuning tuning) {
    Settings settings;
    settings.engine = Engine::DeepSpeed;
    settings.kernels = huggingFaceKernels();
    if (layout.ep > 1) {  // expert_parallel: transformers' own experts are not distributed
        settings.kernels.experts = ExpertKernel::AutoEp;
    }
    settings.precision = {.parameters = Dtype::Bf16,
                          .compute = Dtype::Bf16,
                          .gradients = Dtype::Bf16,
                          .reduce = Dtype::Bf16,
                          .masterWeights = true,
                          .moments = Dtype::Fp32};
    settings.optimizer.kernel = OptimizerKernel::DeepSpeed;  // FusedAdam, or DeepSpeedCPUAdam
    settings.deepspeed.overlapComm = layout.shard == Shard::Zero3;
    settings.pipeline.serialExchange = true;  // p2p.send and recv take no async_op
    if (tuning == Tuning::Lora) {
        settings.lora.dtype = Dtype::Bf16;  // the engine casts the module, adapters and all
    }
    return settings;
}

Result<void> checkDeepspeed(const Scenario& scenario) {
    FABRICAST_TRY(checkCommon(deepspeedStack(), scenario));
    FABRICAST_TRY(checkWorld(scenario));
    return checkDeepspeedRules(scenario);
}

}  // namespace

Result<void> checkZeroOffload(Shard shard, Offload offload) {
    const int stage = stageOf(shard);
    const bool parameters = offloadsParameters(offload);
    if ((parameters || usesDrives(offload)) && stage != 3) {
        return breaks("layout.offload",
                      std::string(parameters ? "offload_param" : "an NVMe device") +
                          " is read by ZeRO stage 3 only; stage " + text(stage) + " ignores it",
                      "shard=zero3");
    }
    if (stage == 0) {
        return breaks("layout.offload", "offload_optimizer needs a ZeRO stage", "shard=zero1");
    }
    return {};
}

/// Stages 1 and 2 keep Muon's momentum twice, stage 3 gathers gradients and momentum of as many
/// matrices as a bucket holds.
Result<void> checkDeepspeedOptimizer(const Scenario& scenario) {
    return scenario.settings.optimizer.kind != OptimizerKind::Muon
               ? Result<void>()
               : lacks("settings.optimizer.kind",
                       "what DeepSpeed's Muon holds, which gathers whole gradients and momentum, "
                       "is not modelled",
                       "--optimizer adamw, or --stack fsdp2");
}

Result<void> checkDeepspeedRules(const Scenario& scenario) {
    FABRICAST_TRY(checkBatchParameters(scenario));
    FABRICAST_TRY(checkDeepspeedOptimizer(scenario));
    if (scenario.layout.pp > 1 && scenario.settings.tuning == Tuning::Lora) {
        return lacks("layout.pp",
                     "its pipeline takes a PipelineModule, and PEFT adapts transformers' modules",
                     "pp=1");
    }
    FABRICAST_TRY(checkSharding(scenario));
    FABRICAST_TRY(checkZeroOffloadSettings(scenario));
    FABRICAST_TRY(checkUlysses(scenario));
    FABRICAST_TRY(checkDeepspeedTensorParallel(scenario));
    FABRICAST_TRY(splitLayers(
        scenario.model.layers,
        {.stages = scenario.layout.pp, .chunks = 1, .pipeline = scenario.settings.pipeline}));
    return checkDeepspeedExperts(scenario);
}

Stack deepspeedStack() {
    return {.name = "deepspeed",
            .title = "DeepSpeed ZeRO",
            .description =
                "ZeRO-1/2/3 by shard, ZeRO-Offload to host memory by offload, Ulysses by "
                "cp_kind=ulysses",
            .axes = kDeepspeedAxes,
            .methods = kDeepspeedMethods,
            .experts = ExpertPlace::InsideData,
            .defaults = &deepspeedDefaults,
            .check = &checkDeepspeed};
}

}  // namespace fabricast
