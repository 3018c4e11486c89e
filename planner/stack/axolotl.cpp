#include "planner/spec/size_divisions.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"
#include "planner/stack/torch_methods.h"

#include <array>

namespace fabricast {
namespace {

// ring_attn_func varlen_llama3, which gathers keys and values, and batch_ring
constexpr std::array kAxolotlContext = {CpKind::AllGather, CpKind::Ring};

// and activation_offloading
constexpr std::array kAxolotlOffloads = {Offload::OptimizerCpu,
                                         Offload::OptimizerNvme,
                                         Offload::ParametersCpu,
                                         Offload::ParametersNvme,
                                         Offload::Activations};

Result<void> checkAxolotlOffload(Shard shard, Offload offload) {
    if (offload != Offload::Activations) {
        return checkAccelerateOffload(shard, offload);
    }
    return shard == Shard::None || shard == Shard::Fsdp || shard == Shard::Hsdp
               ? Result<void>()
               : lacks("layout.offload",
                       "activation_offloading is not modelled beside DeepSpeed",
                       "shard=fsdp or none");
}

StackAxes axes() {
    StackAxes axes = accelerateStack().axes;
    axes.offloads = kAxolotlOffloads;
    axes.checkOffload = &checkAxolotlOffload;
    axes.context = kAxolotlContext;
    axes.expert = true;  // the expert_parallel plugin
    return axes;
}

// Axolotl trains through Accelerate: the same engines, dtypes and no_sync. It loads weights in
// bf16, which FSDP2 under Accelerate stores in fp32 and DeepSpeed copies into fp32 masters. Where
// neither runs, trained weights, their gradients and moments stay bf16; autocast still decides what
// ops compute in. PEFT keeps adapters in fp32.
Settings axolotlDefaults(const Layout& layout, Tuning tuning) {
    Settings settings = accelerateStack().defaults(layout, tuning);
    settings.lora.doubleQuantization = true;  // what its loader always asks bitsandbytes for
    settings.allocator = AllocatorKind::ExpandableSegments;  // set_pytorch_cuda_alloc_conf
    settings.kernels.balancedContext = false;                // it cuts a batch with torch.chunk
    settings.kernels.attentionCode = AttentionCode::Flash2;  // ring-flash-attn's, too
    if (layout.shard == Shard::None && tuning == Tuning::Full) {
        PrecisionSettings& precision = settings.precision;
        precision.parameters = precision.gradients = precision.reduce = precision.moments =
            Dtype::Bf16;
    }
    return settings;
}

/// Its zero3_bf16.json has "auto" for three sizes: what transformers puts there.
void fillAutoBuckets(const ModelSpec& model, const Layout& layout, Settings& settings) {
    constexpr std::int64_t kWidest = 1'000'000;  // h² stays far inside 64 bits
    const std::int64_t hidden = model.hidden;
    if (layout.shard != Shard::Zero3 || hidden < 1 || hidden > kWidest) {
        return;
    }
    settings.deepspeed.reduceBucket = hidden * hidden;
    settings.deepspeed.prefetchBucket = hidden * hidden * 9 / 10;
    settings.deepspeed.persistenceThreshold = 10 * hidden;
}

/// It takes {"": LOCAL_RANK} as its device map, and refuses cpu_ram_efficient_loading with 4 bits
/// under FSDP2.
bool loadsPackedWhole(const Layout& layout, const Settings& settings) {
    return settings.tuning == Tuning::Lora && settings.lora.base == Dtype::Nf4 &&
           settings.engine == Engine::Fsdp2 && layout.world() > 1;
}

Result<void> checkAxolotlOptimizer(const Scenario& scenario) {
    const OptimizerKind optimizer = scenario.settings.optimizer.kind;
    const bool deepspeed = scenario.settings.engine == Engine::DeepSpeed;
    if (optimizer == OptimizerKind::Muon && deepspeed) {
        return lacks("settings.optimizer.kind",
                     "Muon optimizer is currently incompatible with DeepSpeed",
                     "shard=fsdp");
    }
    if (isEightBit(optimizer) && scenario.layout.tp > 1) {
        return lacks("settings.optimizer.kind",
                     "tensor_parallel_size is not supported with paged_adamw_8bit, adamw_8bit, and "
                     "adamw_bnb_8bit optimizers",
                     "optimizer adamw, or tp=1");
    }
    return {};
}

Result<void> checkAxolotlExperts(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const std::int64_t world = scenario.cluster.gpus();
    if (layout.ep == 1 || !scenario.model.moe) {
        return {};
    }
    if (world % layout.ep != 0) {
        return breaks("layout.ep",
                      "expert_parallel_size (" + text(layout.ep) + ") must divide world_size (" +
                          text(world) + ").",
                      divisorsHint("ep", world));
    }
    if (layout.shardSize > 0 && layout.shardSize < layout.replicas()) {
        return lacks("layout.shard_size",
                     "The product must equal the world size for orthogonal mesh axes to be valid: "
                     "no dp_replicate_size together with expert_parallel_size",
                     "shard=fsdp and shard_size=null");
    }
    if (layout.tp > 1) {
        return lacks("layout.tp", "EP × TP composition not yet supported.", "tp=1");
    }
    if (layout.dp % layout.ep != 0) {
        return breaks("layout.ep",
                      "expert_parallel_size is a data axis: it must divide dp " + text(layout.dp),
                      divisorsHint("ep", layout.dp));
    }
    if (!isEven(saidSizes(scenario.model, layout.tp, layout.ep), SizeDivision::ExpertsByEp)) {
        return breaks(
            "layout.ep",
            text(scenario.model.moe->experts) + " experts do not divide over ep " + text(layout.ep),
            divisorsHint("ep", scenario.model.moe->experts));
    }
    return {};
}

/// Full training without FSDP or DeepSpeed, which would keep fp32 weights of their own.
bool trainsAsLoaded(const Scenario& scenario) {
    return scenario.layout.shard == Shard::None && scenario.settings.tuning == Tuning::Full;
}

// ModelLoader casts norms, embedding and head to fp32, and back only for attention kernels that
// need 16 bits: `sdpa` and `eager` leave two types of weights.
Result<void> checkAxolotlTypes(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    if (!trainsAsLoaded(scenario) || settings.precision.parameters == Dtype::Fp32) {
        return {};
    }
    if (settings.precision.parameters == Dtype::Fp16) {
        return lacks("settings.precision.parameters",
                     "Attempting to unscale FP16 gradients.",
                     "--precision bf16, or tuning lora");
    }
    if (settings.kernels.attention == AttentionKernel::Unfused) {
        return lacks("settings.kernels.attention",
                     "attn_implementation eager keeps embedding, head and norms in fp32 beside "
                     "bf16 layers, which is not modelled",
                     "settings.kernels.attention=flash, or shard=fsdp");
    }
    return {};
}

/// Its context parallelism replaces FlashAttention 2, and refuses any other attention. Where
/// sequences are packed of samples it gathers keys and values (varlen_llama3), else they go round.
Result<void> checkAxolotlContext(const Scenario& scenario) {
    const KernelSettings& kernels = scenario.settings.kernels;
    const Layout& layout = scenario.layout;
    if (layout.cp == 1) {
        return {};
    }
    if (scenario.settings.engine == Engine::DeepSpeed) {
        return lacks("layout.cp",
                     "context_parallel_size with DeepSpeed is not modelled",
                     "shard=fsdp, or cp=1");
    }
    if (layout.microBatch > 1 && layout.cpKind == CpKind::AllGather) {
        return breaks("layout.micro_batch",
                      "micro_batch_size must be set to 1 when sample_packing is enabled due to a "
                      "`ring-flash-attn` requirement",
                      "micro_batch=1, or cp_kind=ring, which is without sample_packing");
    }
    if (scenario.model.attention.sinks) {
        return lacks("layout.cp",
                     "context_parallel_size needs flash_attention_2, which has no attention sinks",
                     "cp=1");
    }
    const bool isOther = kernels.attention == AttentionKernel::Unfused ||
                         kernels.attentionCode != AttentionCode::Flash2;
    return isOther ? lacks("settings.kernels.attention_code",
                           "context_parallel_size needs flash_attention_2",
                           "settings.kernels.attention_code=flash2, or cp=1")
                   : Result<void>();
}

/// check_activation_offloading_wo_gc of its validators.
Result<void> checkAxolotlActivations(const Scenario& scenario) {
    return scenario.layout.offload == Offload::Activations &&
                   scenario.settings.recompute.kind != Checkpointing::Full
               ? breaks("layout.recompute",
                        "activation_offloading requires gradient_checkpointing",
                        "recompute=full, or offload=none")
               : Result<void>();
}

/// Of weights that rank 0 alone reads, codes of 4 bits never reach the other ranks.
Result<void> checkAxolotlLoading(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const bool isPacked = settings.tuning == Tuning::Lora && settings.lora.base == Dtype::Nf4;
    return isPacked && settings.phases.loading == Loading::Cpu
               ? lacks("settings.phases.loading",
                       "FSDP2 does not support load_in_4bit with cpu_ram_efficient_loading",
                       "settings.phases.loading=gpu, or settings.lora.base=bf16")
               : Result<void>();
}

// Its validators (0.19) come first, then Accelerate's.
Result<void> checkAxolotl(const Scenario& scenario) {
    FABRICAST_TRY(checkCommon(axolotlStack(), scenario));
    FABRICAST_TRY(checkAxolotlOptimizer(scenario));
    FABRICAST_TRY(checkAxolotlContext(scenario));
    FABRICAST_TRY(checkAxolotlExperts(scenario));
    FABRICAST_TRY(checkAxolotlTypes(scenario));
    FABRICAST_TRY(checkAxolotlLoading(scenario));
    FABRICAST_TRY(checkAxolotlActivations(scenario));
    return checkAccelerateRules(scenario);
}

}  // namespace

Stack axolotlStack() {
    return {.name = "axolotl",
            .title = "Axolotl",
            .description = "full fine-tuning, LoRA and QLoRA over Accelerate's FSDP2 or DeepSpeed",
            .axes = axes(),
            .methods = accelerateStack().methods,
            .experts = ExpertPlace::DataFirst,
            .defaults = &axolotlDefaults,
            .deriveSettings = &fillAutoBuckets,
            .loadsWhole = &loadsPackedWhole,
            .check = &checkAxolotl};
}

}  // namespace fabricast
