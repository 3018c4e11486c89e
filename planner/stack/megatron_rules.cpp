#include "planner/spec/activation_offload.h"
#include "planner/spec/setting_names.h"
#include "planner/spec/size_divisions.h"
#include "planner/spec/stage_split.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

/// --num-distributed-optimizer-instances, or a shard_size that says the same.
std::int64_t instancesOf(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    return layout.shardSize > 0 ? layout.replicas() / layout.shardSize
                                : scenario.settings.megatron.optimizerInstances;
}

/// They cut the data ranks, and those of the experts too.
Result<void> checkInstances(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const std::int64_t instances = instancesOf(scenario);
    const auto refusal = [&](const char* what, std::int64_t ranks) {
        const bool isTyped = layout.shardSize > 0;
        return breaks(isTyped ? "layout.shard_size" : "settings.megatron.optimizer_instances",
                      what + text(ranks) + " should be divisible by partial DistOpt shard factor " +
                          text(instances),
                      isTyped ? "shard_size=" + text(layout.replicas()) : "optimizer_instances=1");
    };
    if (layout.replicas() % instances != 0) {
        return refusal("Data parallel size ", layout.replicas());
    }
    if (layout.expertReplicas() % instances != 0) {
        return refusal("Expert data parallel size ", layout.expertReplicas());
    }
    return {};
}

Result<void> checkRanks(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const std::int64_t world = scenario.cluster.gpus();
    const std::int64_t modelSize = layout.tp * layout.pp * layout.cp;
    if (world % modelSize != 0) {
        return breaks(
            "layout.tp",
            "world size (" + text(world) +
                ") is not divisible by total_model_size (total_model_size=" + text(modelSize) + ")",
            "tp x pp x cp that divides " + text(world));
    }
    FABRICAST_TRY(checkWorld(scenario));
    const std::int64_t expertSize = layout.etp * layout.ep * layout.pp;
    if (world % expertSize != 0) {
        return breaks("layout.ep",
                      "world_size (" + text(world) +
                          ") is not divisible by expert_tensor_model_pipeline_parallel size (" +
                          text(expertSize) + ")",
                      layout.etp > 1 ? "etp=1, which follows tp unless it is set"
                                     : divisorsHint("ep", world / layout.pp));
    }
    return checkInstances(scenario);
}

Result<void> checkMegatronExperts(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    if (!scenario.model.moe) {
        return {};
    }
    if (layout.placement == RankPlacement::PpInside && layout.pp > 1 &&
        layout.dp != layout.expertReplicas()) {
        return breaks("layout.ep",
                      "When not using pp-last rank ordering, the data parallel size of the "
                      "attention and moe layers must be the same",
                      "ep x etp = " + text(layout.tp * layout.cp));
    }
    const std::int64_t experts = scenario.model.moe->experts;
    const SaidSizes sizes = saidSizes(scenario.model, layout.tp, layout.ep);
    if (!isEven(sizes, SizeDivision::ExpertsByEp)) {
        return breaks("layout.ep",
                      "Number of experts should be a multiple of expert model parallel_size.",
                      divisorsHint("ep", experts));
    }
    if (layout.tp > 1 && !layout.sp) {
        return breaks("layout.sp",
                      "During training, performance may degrade if MoE and tensor parallelism are "
                      "enabled without also enabling sequence parallelism.",
                      "sp=true");
    }
    return {};
}

Result<void> checkHeads(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const AttentionSpec& attention = scenario.model.attention;
    const auto size = [&] { return "tensor_model_parallel_size (" + text(layout.tp) + ")."; };
    const SaidSizes sizes = saidSizes(scenario.model, layout.tp, layout.ep);
    if (!isEven(sizes, SizeDivision::HeadsByTp)) {
        return breaks(
            "layout.tp",
            "num_attention_heads (" + text(attention.heads) + ") must be a multiple of " + size(),
            divisorsHint("tp", attention.heads));
    }
    const std::int64_t groups = attention.kvHeads;
    if (!isEven(sizes, SizeDivision::KvHeadsWithTp)) {
        return breaks(
            "layout.tp",
            "num_query_groups (" + text(groups) + ") must be a multiple or divisor of " + size(),
            divisorsHint("tp", groups));
    }
    const std::int64_t headsOfRank = attention.heads / layout.tp;
    if (layout.cp > 1 && layout.cpKind == CpKind::Ulysses && headsOfRank % layout.cp != 0) {
        return breaks("layout.cp",
                      "cp_comm_type a2a splits the " + text(headsOfRank) +
                          " heads of a rank, which is not a multiple of cp " + text(layout.cp),
                      divisorsHint("cp", headsOfRank));
    }
    return {};
}

Result<void> checkSequence(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const std::int64_t sequence = scenario.workload.sequence;
    if (layout.cp > 1 && sequence % (2 * layout.cp) != 0) {
        return breaks("workload.sequence",
                      "seq-length should be a multiple of 2 * context-parallel-size if "
                      "context-parallel-size > 1.",
                      multiplesHint("seq", sequence, 2 * layout.cp));
    }
    const std::int64_t step = 2 * layout.cp * layout.tp;
    if (layout.sp && layout.tp > 1 && sequence / layout.cp % layout.tp != 0) {
        return breaks("workload.sequence",
                      "sequence parallelism splits the " + text(sequence / layout.cp) +
                          " tokens of a context parallel rank over tp " + text(layout.tp),
                      multiplesHint("seq", sequence, step));
    }
    return {};
}

/// Logits are split over tp, and so is their loss.
Result<void> checkLoss(const Scenario& scenario) {
    const KernelSettings& kernels = scenario.settings.kernels;
    const bool own =
        kernels.code == ModelCode::Megatron || kernels.code == ModelCode::TransformerEngine;
    if (own && kernels.loss != LossKernel::VocabParallel && kernels.loss != LossKernel::Fused) {
        return lacks("settings.kernels.loss",
                     "Megatron's cross entropy is vocabulary parallel, or fused with "
                     "--cross-entropy-loss-fusion; it has no " +
                         std::string(nameOf(kernels.loss)),
                     "vocab_parallel or fused");
    }
    return {};
}

constexpr std::array<std::string_view, 7> kModules = {
    "core_attn", "layernorm", "mla_up_proj", "mlp", "moe", "moe_act", "shared_experts"};

Result<void> checkRecompute(const Scenario& scenario) {
    const RecomputeSettings& recompute = scenario.settings.recompute;
    for (const std::string& module : recompute.modules) {
        if (std::find(kModules.begin(), kModules.end(), module) == kModules.end()) {
            return breaks("layout.recompute",
                          "Invalid choices for recompute_modules: {'" + module + "'}",
                          "core_attn, layernorm, mla_up_proj, mlp, moe, moe_act, shared_experts");
        }
    }
    if (recompute.modules.contains("mla_up_proj") &&
        scenario.model.attention.kind != AttentionKind::Latent) {
        return breaks("layout.recompute",
                      "mla_up_proj in recompute_modules is only supported with "
                      "multi_latent_attention.");
    }
    if (recompute.modules.contains("moe_act") &&
        scenario.settings.kernels.experts == ExpertKernel::Sequential) {
        return breaks("layout.recompute",
                      "moe_act in recompute_modules is only supported with moe_grouped_gemm.");
    }
    return {};
}

/// Transformer Engine's UnfusedDotProductAttention "does not support context parallelism".
Result<void> checkMegatronContext(const Scenario& scenario) {
    const KernelSettings& kernels = scenario.settings.kernels;
    const bool isUnfused = kernels.code == ModelCode::TransformerEngine &&
                           kernels.attention == AttentionKernel::Unfused;
    return isUnfused && scenario.layout.cp > 1
               ? lacks("layout.cp",
                       "Transformer Engine's unfused attention does not support context "
                       "parallelism",
                       "cp=1, or settings.kernels.attention=flash where the GPU has it")
               : Result<void>();
}

/// --overlap-moe-expert-parallel-comm.
Result<void> checkExpertOverlap(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    if (!scenario.settings.megatron.expertOverlap) {
        return {};
    }
    if (!scenario.model.moe || layout.ep == 1) {
        return breaks("settings.megatron.expert_overlap",
                      "overlap_moe_expert_parallel_comm is only supported with expert model "
                      "parallelism",
                      "ep=2 or more, or expert_overlap=false");
    }
    if (layout.pp > 1 && layout.vpp == 1) {
        return breaks("layout.vpp",
                      "If enabling EP A2A overlap, virtual_pipeline_model_parallel_size must be "
                      "specified when pipeline_model_parallel_size > 1",
                      "vpp=2 or more, or pp=1");
    }
    if (scenario.settings.recompute.kind == Checkpointing::Full) {
        return breaks("layout.recompute",
                      "disable full recomputation when enabling overlap_moe_expert_parallel_comm",
                      "recompute=core_attn or none");
    }
    return {};
}

Result<void> checkMegatronOffload(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    if (layout.offload != Offload::Activations) {
        return {};
    }
    if (layout.pp > 1) {
        return breaks("layout.offload",
                      "Currently there is no support for Pipeline parallelism with CPU offloading",
                      "pp=1");
    }
    if (scenario.settings.recompute.kind != Checkpointing::None) {
        return breaks("layout.offload",
                      "CPU offloading does not work when activation recomputation is enabled",
                      "recompute=none");
    }
    const std::int64_t moved = offloadedLayers(scenario);
    const std::int64_t layers = scenario.model.layers;
    if (moved >= layers || moved == 0) {  // of one layer none can be
        return breaks("settings.megatron.offloaded_layers",
                      "CPU offloading can be done only for layers less than " + text(layers),
                      layers > 1 ? text(layers - 1) + " or fewer" : "offload=none");
    }
    if (scenario.settings.kernels.cudaGraphs) {
        return breaks("settings.kernels.cuda_graphs",
                      "CUDA graphs not supported with CPU offloading.",
                      "false, or offload=none");
    }
    return {};
}

/// --recompute-method uniform goes through a chunk in equal steps, beyond its end where they do not
/// divide it.
Result<void> checkCheckpoints(const Scenario& scenario) {
    const RecomputeSettings& recompute = scenario.settings.recompute;
    if (recompute.kind != Checkpointing::Full || recompute.layers <= 1) {
        return {};
    }
    FABRICAST_ASSIGN(const auto chunks,
                     splitLayers(scenario.model.layers,
                                 {.stages = scenario.layout.pp,
                                  .chunks = scenario.layout.vpp,
                                  .pipeline = scenario.settings.pipeline}));
    const auto uneven = std::ranges::find_if(
        chunks, [&](std::int64_t layers) { return layers % recompute.layers != 0; });
    if (uneven == chunks.end()) {
        return {};
    }
    return breaks("layout.recompute",
                  "checkpoints of " + text(recompute.layers) + " layers do not divide the " +
                      text(*uneven) + " of a model chunk (IndexError: index " + text(*uneven) +
                      " is out of range)",
                  "recompute=full, or uniform:N that divides " + text(*uneven));
}

/// --use-distributed-optimizer is what divides the states: the layout and the setting say one
/// thing.
Result<void> checkDivided(const Scenario& scenario) {
    const bool isDivided = scenario.layout.shard != Shard::None;
    if (scenario.settings.engine != Engine::Megatron || scenario.layout.replicas() == 1 ||
        scenario.settings.megatron.distributedOptimizer == isDivided) {
        return {};
    }
    return breaks("settings.megatron.distributed_optimizer",
                  std::string(isDivided ? "false divides no states" : "true divides the states") +
                      ", and layout.shard is " + std::string(nameOf(scenario.layout.shard)),
                  isDivided ? "layout.shard=none, or leave the setting out"
                            : "layout.shard=zero1, or leave the setting out");
}

/// DistributedOptimizer takes Adam alone; what splits Muon's states by whole matrices instead, its
/// layer-wise optimizer, is not modelled.
Result<void> checkDistributed(const Scenario& scenario) {
    const OptimizerKind optimizer = scenario.settings.optimizer.kind;
    if (!scenario.settings.megatron.distributedOptimizer || optimizer == OptimizerKind::AdamW) {
        return {};
    }
    const std::string name(nameOf(optimizer));
    if (optimizer == OptimizerKind::Muon) {
        return lacks("settings.optimizer.kind",
                     "Megatron's layer-wise distributed optimizer, which splits the states of " +
                         name + ", is not modelled",
                     "layout.shard=none, or --optimizer adamw");
    }
    return breaks(
        "settings.optimizer.kind",
        "Megatron's DistributedOptimizer: \"Only Adam and HybridDeviceOptimizer currently "
        "supported\", not " +
            name,
        "layout.shard=none, or --optimizer adamw");
}

/// --use-precision-aware-optimizer: other dtypes than fp32 in the optimizer, or its states on CPU.
Result<void> checkMegatronOptimizer(const Scenario& scenario) {
    const PrecisionSettings& precision = scenario.settings.precision;
    const bool aware = precision.moments != Dtype::Fp32 || precision.masterRemainder ||
                       scenario.layout.offload == Offload::OptimizerCpu;
    if (!aware) {
        return checkDistributed(scenario);
    }
    if (scenario.settings.optimizer.kind != OptimizerKind::AdamW) {
        return breaks("settings.optimizer.kind",
                      "--use-precision-aware-optimizer only supported with adam",
                      "optimizer adamw");
    }
    if (scenario.layout.shard == Shard::None) {
        return breaks("layout.shard",
                      "--use-precision-aware-optimizer only supported with distributed optimizer",
                      "shard=zero1");
    }
    return {};
}

}  // namespace

Result<void> checkMegatronRules(const Scenario& scenario) {
    FABRICAST_TRY(checkRanks(scenario));
    FABRICAST_TRY(checkHeads(scenario));
    FABRICAST_TRY(checkMegatronExperts(scenario));
    FABRICAST_TRY(checkSequence(scenario));
    FABRICAST_TRY(checkMegatronPipeline(scenario));
    FABRICAST_TRY(checkMegatronContext(scenario));
    FABRICAST_TRY(checkLoss(scenario));
    FABRICAST_TRY(checkRecompute(scenario));
    FABRICAST_TRY(checkExpertOverlap(scenario));
    FABRICAST_TRY(checkMegatronOffload(scenario));
    FABRICAST_TRY(checkCheckpoints(scenario));
    FABRICAST_TRY(checkDivided(scenario));
    return checkMegatronOptimizer(scenario);
}

}  // namespace fabricast
