#include "planner/memory/check_memory.h"
#include "planner/ops/quantized_linear.h"
#include "planner/spec/kernel_names.h"
#include "planner/spec/names.h"
#include "planner/spec/setting_names.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

/// What is refused beside adapters where it is asked for.
struct Refusal {
    bool isAsked = false;
    std::string_view where;
    std::string why;
    std::string hint;
    Error::Code code = Error::Code::Unsupported;
};

Result<void> refuseAsked(std::initializer_list<Refusal> table) {
    const auto* const asked = std::ranges::find_if(table, &Refusal::isAsked);
    return asked == table.end()
               ? Result<void>()
               : fail(asked->code, std::string(asked->where), asked->why, asked->hint);
}

/// Cut over ranks, a base of 4 bits lies in bf16 numbers, the type that everything is gathered in;
/// its scales are not cut.
Result<void> checkShardedBase(const Scenario& scenario) {
    const LoraSettings& lora = scenario.settings.lora;
    if (!isQuantized(lora.base)) {
        return {};
    }
    return refuseAsked({{lora.base != Dtype::Nf4,
                         "settings.lora.base",
                         "a sharded base in " + std::string(nameOf(lora.base)) + " is not modelled",
                         "settings.lora.base=nf4, or shard=none"},
                        {scenario.settings.precision.compute != Dtype::Bf16,
                         "settings.precision.compute",
                         "a sharded base in nf4 is modelled with bnb_4bit_quant_storage=bfloat16, "
                         "which must be the type that weights are gathered in",
                         multipliesBf16(scenario.cluster.node.gpu) ? "--precision bf16"
                                                                   : "shard=none, or another GPU"},
                        {lora.preparedForKbit,
                         "settings.lora.prepared_for_kbit",
                         "prepare_model_for_kbit_training is not modelled for a sharded base",
                         "settings.lora.prepared_for_kbit=false"}});
}

bool adaptsStacks(const LoraSettings& lora) {
    return lora.targets.contains("experts") || lora.targets.contains("router");
}

/// What of adapters was recorded to be otherwise, where a checkpoint gathers layers again.
Result<void> checkUnderZero3(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const LoraSettings& lora = settings.lora;
    FABRICAST_TRY(checkShardedBase(scenario));
    const bool again = settings.recompute.kind != Checkpointing::None;
    const bool isLarge =
        lora.rank * scenario.model.hidden > settings.deepspeed.persistenceThreshold;
    const std::string under = " not modelled under ZeRO-3 with recomputation";
    return refuseAsked(
        {{usesDrives(scenario.layout.offload),
          "layout.offload",
          "LoRA with states on drives is not modelled",
          "offload=parameters_cpu, or offload=none"},
         {again && adaptsStacks(lora),
          "settings.lora.targets",
          "adapters of experts and routers are" + under,
          "recompute=none, shard=zero2, or leave experts and router out of settings.lora.targets"},
         {again && lora.dora && isLarge,
          "settings.lora.dora",
          "DoRA whose lora_A is above stage3_param_persistence_threshold is" + under,
          "recompute=none, shard=zero2, or the stack fsdp2"}});
}

Result<void> checkUnderDeepSpeed(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    FABRICAST_TRY(refuseAsked({{scenario.layout.shard == Shard::None,
                                "layout.shard",
                                "memory of LoRA under DeepSpeed is modelled for ZeRO-1, -2 and -3",
                                "shard=zero2, or the stack fsdp2"}}));
    if (scenario.layout.shard == Shard::Zero3) {
        FABRICAST_TRY(checkUnderZero3(scenario));
    }
    // deepspeed.initialize casts the whole module to the type that it trains in.
    const std::string type(nameOf(settings.precision.parameters));
    return refuseAsked({{settings.lora.dtype != settings.precision.parameters,
                         "settings.lora.dtype",
                         "DeepSpeed trains adapters in the type of the model, " + type,
                         "settings.lora.dtype=" + type,
                         Error::Code::BadInput}});
}

/// Accelerate's and Trainer's runs of PEFT are under autocast, and what PEFT reads of adapters
/// outside of their own forward is cut.
Result<void> checkUnderFsdp1(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const LoraSettings& lora = settings.lora;
    const Dtype compute = settings.precision.compute;
    const bool original = settings.torch.useOrigParams;
    const bool casts = original && !isQuantized(lora.base) && lora.dtype != compute;
    return refuseAsked(
        {{!settings.precision.autocast && lora.dtype != compute,
          "settings.precision.autocast",
          "PEFT gives adapters inputs of their stored type, FSDP1 gathers them in another: "
          "expected mat1 and mat2 to have the same dtype",
          "settings.precision.autocast=true, or settings.lora.dtype=" +
              std::string(nameOf(compute)),
          Error::Code::BadInput},
         {scenario.layout.shard == Shard::None,
          "layout.shard",
          "LoRA is not modelled under NO_SHARD",
          "stack=ddp"},
         {adaptsStacks(lora),
          "settings.lora.targets",
          "lora.ParamWrapper, which adapts experts and routers, reads weights that FSDP1 has cut",
          "stack=fsdp2, or leave experts and router out of settings.lora.targets",
          Error::Code::BadInput},
         {!lora.modulesToSave.empty(),
          "settings.lora.modules_to_save",
          "a table trained whole beside adapters is not modelled under FSDP1",
          "stack=fsdp2"},
         {lora.dora && original,
          "settings.lora.dora",
          "DoRA reads the shape of adapters that FSDP1 has cut: tuple index out of range",
          "stack=fsdp2, or settings.lora.dora=false",
          Error::Code::BadInput},
         {lora.dora,
          "settings.lora.dora",
          "DoRA is not modelled under FSDP1",
          "stack=fsdp2, or settings.lora.dora=false"},
         {casts && settings.recompute.kind != Checkpointing::None,
          "settings.torch.use_orig_params",
          "adapters that are recomputed under FSDP1 with use_orig_params are not modelled",
          "settings.torch.use_orig_params=false, or recompute=none"}});
}

bool onlyAttention(const LoraSettings& lora) {
    return std::ranges::all_of(lora.targets, [](const std::string& target) {
        return target == "q" || target == "k" || target == "v" || target == "o";
    });
}

/// What of torchtitan's and Megatron-Bridge's adapters, beside layers that are the framework's own,
/// was not recorded.
Result<void> checkOfFrameworks(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const bool moe = scenario.model.moe.has_value();
    const Engine engine = settings.engine;
    const bool isKnown = engine == Engine::Megatron || engine == Engine::Fsdp2 ||
                         engine == Engine::Ddp || engine == Engine::Local;
    const std::string beside =
        " of " + std::string(nameOf(settings.kernels.code)) + "'s layers is not modelled";
    const std::string elsewhere = "stack=axolotl or accelerate";
    return refuseAsked(
        {{moe && settings.kernels.code != ModelCode::TorchTitan,
          "settings.tuning",
          "LoRA beside experts" + beside,
          elsewhere},
         {moe && scenario.layout.tp > 1,
          "layout.tp",
          "LoRA beside experts with tp" + beside,
          "tp=1"},
         {moe && !onlyAttention(settings.lora),
          "settings.lora.targets",
          "LoRA of experts, shared or not," + beside,
          "settings.lora.targets=q+k+v+o"},
         {scenario.model.attention.kind == AttentionKind::Latent,
          "settings.tuning",
          "LoRA of latent attention" + beside,
          elsewhere},
         {scenario.model.mtpDepth > 0,
          "settings.tuning",
          "LoRA beside predictions" + beside,
          elsewhere},
         {settings.kernels.quantization != Quantization::None,
          "settings.kernels.quantization",
          "LoRA over products in " + std::string(nameOf(settings.kernels.quantization)) + beside,
          "--precision bf16"},
         {scenario.layout.offload != Offload::None,
          "layout.offload",
          "LoRA with offload" + beside,
          "offload=none"},
         {settings.lora.dora, "settings.lora.dora", "DoRA" + beside, elsewhere},
         {isQuantized(settings.lora.base),
          "settings.lora.base",
          "a quantised base" + beside,
          elsewhere},
         {!isKnown,
          "settings.tuning",
          "LoRA is not modelled under " + std::string(nameOf(engine)),
          elsewhere}});
}

/// PEFT's adapters over transformers' layers.
Result<void> checkOfPeft(const Scenario& scenario) {
    FABRICAST_TRY(refuseAsked({{scenario.layout.tp > 1,
                                "layout.tp",
                                "LoRA is not modelled with tensor parallelism",
                                "tp=1"}}));
    const Engine engine = scenario.settings.engine;
    switch (engine) {
        case Engine::Local:
        case Engine::Ddp:
            return {};
        case Engine::DeepSpeed:
            return checkUnderDeepSpeed(scenario);
        case Engine::Fsdp1:
            FABRICAST_TRY(checkUnderFsdp1(scenario));
            return checkShardedBase(scenario);
        case Engine::Fsdp2:
            return checkShardedBase(scenario);
        default:
            return refuseAsked({{true,
                                 "settings.tuning",
                                 "LoRA is not modelled under " + std::string(nameOf(engine)),
                                 "shard=none, or the stack fsdp2"}});
    }
}

}  // namespace

Result<void> checkLoraBeside(const Scenario& scenario) {
    const ModelCode code = scenario.settings.kernels.code;
    FABRICAST_TRY(refuseAsked({{code == ModelCode::Torch,
                                "settings.tuning",
                                "LoRA is modelled as PEFT runs it over transformers' layers, not "
                                "for " +
                                    std::string(nameOf(code)) + "'s",
                                "stack=axolotl or accelerate"}}));
    return code == ModelCode::HuggingFace ? checkOfPeft(scenario) : checkOfFrameworks(scenario);
}

}  // namespace fabricast
