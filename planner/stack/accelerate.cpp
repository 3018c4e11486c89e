#include "planner/spec/attention_model.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"
#include "planner/stack/torch_methods.h"

#include <array>

namespace fabricast {

namespace {

bool isZero(Shard shard) {
    return shard == Shard::Zero1 || shard == Shard::Zero2 || shard == Shard::Zero3;
}

Result<void> checkTotalSize(const Scenario& scenario) {
    const auto world = checkWorld(scenario);
    if (world) {
        return {};
    }
    return breaks("layout.dp",
                  "ParallelismConfig total_size (" + text(scenario.layout.world()) +
                      ") does not match num_processes (" + text(scenario.cluster.gpus()) + ").",
                  world.error().hint);
}

Result<void> checkAccelerateMesh(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    if (layout.shard == Shard::None && layout.dp > 1 && (layout.tp > 1 || layout.cp > 1)) {
        return breaks("layout.shard",
                      "Tensor/Context parallelism (tp/cp_size > 1) cannot be used with pure data "
                      "parallelism (dp_replicate_size > 1 and dp_shard_size == 1).",
                      "shard=fsdp");
    }
    const bool fsdp = layout.shard == Shard::Fsdp || layout.shard == Shard::Hsdp;
    if (fsdp && layout.tp > 1 && layout.replicas() == 1) {
        return breaks("layout.dp",
                      "dp_shard and cp are both 1: no dimension for FSDP to shard across",
                      "dp=2 or more, or shard=none");
    }
    if (fsdp && layout.shardSize > 0 && layout.shardSize % layout.cp != 0) {
        return breaks("layout.shard_size",
                      "dp_shard_size is shard_size / cp, and " + text(layout.shardSize) +
                          " is not a multiple of cp " + text(layout.cp),
                      shardSizesHint(layout, 2));
    }
    const bool copies = layout.shardSize > 0 && layout.shardSize < layout.replicas();
    if (fsdp && copies && layout.shardSize == layout.cp && (layout.tp > 1 || layout.cp > 1)) {
        return breaks("layout.shard_size",
                      "Tensor/Context parallelism (tp/cp_size > 1) cannot be used with pure data "
                      "parallelism (dp_replicate_size > 1 and dp_shard_size == 1).",
                      "shard=fsdp and shard_size=null, or " + shardSizesHint(layout, 2));
    }
    return {};
}

/// torch.distributed.tensor.experimental.context_parallel takes scaled_dot_product_attention's
/// place. Axolotl has ring-flash-attn instead, and a rule of its own.
Result<void> checkSplitAttention(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    if (layout.cp == 1 || layout.cpKind == CpKind::Ulysses) {
        return {};
    }
    if (lacksNativeAttention(scenario.model)) {
        return lacks("layout.cp",
                     "context parallelism (cp_size > 1) splits PyTorch's own attention, which "
                     "cannot compute " +
                         scenario.model.name + "'s",
                     "cp=1");
    }
    if (scenario.settings.kernels.attention == AttentionKernel::Unfused) {
        return lacks("settings.kernels.attention",
                     "context parallelism (cp_size > 1) splits PyTorch's own attention alone, not "
                     "the one that transformers writes out",
                     "settings.kernels.attention=flash, or cp=1");
    }
    return {};
}

/// Load balancing deals 2 x cp parts (torch's context_parallel). Without, each rank has one:
/// Axolotl fills a batch up to a multiple (utils/ctx_managers/sequence_parallel.py).
Result<void> checkParts(const Scenario& scenario) {
    const bool balanced = scenario.settings.kernels.balancedContext;
    const std::int64_t parts = (balanced ? 2 : 1) * scenario.layout.cp;
    const std::int64_t sequence = scenario.workload.sequence;
    return sequence % parts == 0 ? Result<void>()
                                 : breaks("workload.sequence",
                                          text(sequence) + " tokens are not a multiple of " +
                                              (balanced ? "2 x cp, which load balancing needs"
                                                        : "cp, to which a batch is filled up"),
                                          multiplesHint("seq", sequence, parts));
}

Result<void> checkSequenceSplit(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    if (layout.cp == 1) {
        return {};
    }
    const bool ulysses = layout.cpKind == CpKind::Ulysses;
    if (ulysses && !isZero(layout.shard)) {
        return lacks("layout.cp_kind",
                     "sp_backend must be one of ['deepspeed']",
                     "shard=zero3, or cp_kind=allgather");
    }
    if (!ulysses && isZero(layout.shard)) {
        return lacks("layout.cp_kind",
                     "context parallelism (cp_size > 1) is FSDP2's; DeepSpeed splits the sequence "
                     "by Ulysses",
                     "cp_kind=ulysses");
    }
    return ulysses ? Result<void>() : checkParts(scenario);
}

Result<void> checkAccelerateTensorParallel(const Scenario& scenario) {
    const AttentionSpec& attention = scenario.model.attention;
    const std::int64_t size = scenario.layout.tp;
    const bool grouped = attention.kind == AttentionKind::Grouped;
    const std::int64_t heads = grouped ? attention.kvHeads : attention.heads;
    if (isZero(scenario.layout.shard) || heads % size == 0) {
        return {};
    }
    return breaks("layout.tp",
                  text(heads) + (grouped ? " key-value heads" : " heads") +
                      " do not divide over tp " + text(size),
                  divisorsHint("tp", heads));
}

// distributed_type FSDP (version 2), DEEPSPEED (zero1..3) or MULTI_GPU (none)
constexpr std::array kAccelerateShards = {
    Shard::Fsdp, Shard::Hsdp, Shard::Zero3, Shard::Zero2, Shard::Zero1, Shard::None};
// parallelism_config cp_backend torch, sp_backend deepspeed
constexpr std::array kAccelerateContext = {CpKind::AllGather, CpKind::Ring, CpKind::Ulysses};
constexpr std::array kAccelerateOffloads = {
    Offload::OptimizerCpu, Offload::OptimizerNvme, Offload::ParametersCpu, Offload::ParametersNvme};
constexpr StackAxes kAccelerateAxes{.tensor = true,
                                    .context = kAccelerateContext,
                                    .shards = kAccelerateShards,
                                    .wholeAlone = true,
                                    .offloads = kAccelerateOffloads,
                                    .checkOffload = &checkAccelerateOffload};
constexpr StackMethods kAccelerateMethods{.optimizers = kEveryOptimizer,
                                          .quantizations = kTorchaoLinears,
                                          .compute = kEveryCompute,
                                          .recompute = kWholeBlocks,
                                          .lora = true,
                                          .quantizedBase = true};

// Accelerate upcasts trainable parameters to fp32 under FSDP2 with mixed precision, reduces in
// bf16, and skips the reduction on all micro-steps but the last (no_sync), which keeps whole
// gradients. transformers' Trainer asks for adamw_torch_fused.
Settings accelerateDefaults(const Layout& layout, Tuning tuning) {
    Settings settings;
    switch (layout.shard) {
        case Shard::None:
            settings = ddpStack().defaults(layout, tuning);
            if (layout.replicas() == 1) {
                settings.engine = Engine::Local;  // one process is not wrapped
            }
            break;
        case Shard::Fsdp:
        case Shard::Hsdp:
            settings = fsdp2Stack().defaults(layout, tuning);
            break;
        case Shard::Zero1:
        case Shard::Zero2:
        case Shard::Zero3:
            settings = deepspeedStack().defaults(layout, tuning);
            break;
    }
    if (layout.cp > 1 && !isZero(layout.shard)) {  // torch's context_parallel splits it alone
        settings.kernels.attentionCode = AttentionCode::Native;
    }
    settings.optimizer.kernel = OptimizerKernel::Fused;
    settings.optimizer.decayGroups = true;
    settings.torch.sync = GradientSync::LastMicroBatch;
    return settings;
}

Result<void> checkAccelerate(const Scenario& scenario) {
    FABRICAST_TRY(checkCommon(accelerateStack(), scenario));
    FABRICAST_TRY(checkSplitAttention(scenario));
    return checkAccelerateRules(scenario);
}

}  // namespace

Result<void> checkAccelerateOffload(Shard shard, Offload offload) {
    if (isZero(shard)) {
        return checkZeroOffload(shard, offload);
    }
    if (shard == Shard::None) {
        return lacks("layout.offload", "DDP has no offload", "shard=fsdp or zero3");
    }
    if (offload != Offload::ParametersCpu) {
        return lacks("layout.offload",
                     "FSDP2 offloads parameters, gradients and optimizer together, to CPU",
                     "offload=parameters_cpu");
    }
    return {};
}

Result<void> checkAccelerateRules(const Scenario& scenario) {
    const Shard shard = scenario.layout.shard;
    FABRICAST_TRY(checkTotalSize(scenario));
    FABRICAST_TRY(checkAccelerateMesh(scenario));
    FABRICAST_TRY(checkSequenceSplit(scenario));
    FABRICAST_TRY(checkAccelerateTensorParallel(scenario));
    if (isZero(shard)) {
        if (scenario.settings.kernels.quantization != Quantization::None) {
            return lacks("settings.kernels.quantization",
                         "DeepSpeed has no 8-bit linears of its own",
                         "shard=fsdp");
        }
        return checkDeepspeedRules(scenario);
    }
    FABRICAST_TRY(checkBatch(scenario));
    return shard == Shard::None ? Result<void>{} : checkShardedOptimizer(scenario);
}

Stack accelerateStack() {
    return {.name = "accelerate",
            .title = "Hugging Face Accelerate / Trainer",
            .description = "DDP, FSDP2 or DeepSpeed by shard, as accelerate launch sets them up",
            .axes = kAccelerateAxes,
            .methods = kAccelerateMethods,
            .defaults = &accelerateDefaults,
            .check = &checkAccelerate};
}

}  // namespace fabricast
