#include "planner/base/nearest_name.h"
#include "planner/memory/check_memory.h"
#include "planner/ops/quantized_linear.h"
#include "planner/spec/kernel_names.h"
#include "planner/spec/names.h"
#include "planner/spec/peft_targets.h"
#include "planner/spec/setting_names.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace fabricast {

namespace {

constexpr std::array<std::string_view, 13> kTargets = {
    "q", "k", "v", "o", "gate", "up", "down", "experts", "router", "q_a", "q_b", "kv_a", "kv_b"};

constexpr std::int64_t kUsualRank = 16;  // of the examples of PEFT

Result<void> checkRank(const LoraSettings& lora, const ModelSpec& model) {
    if (lora.rank < 1) {
        return fail(Error::Code::BadInput,
                    "settings.lora.rank",
                    "LoRA needs a rank of at least 1",
                    "settings.lora.rank=" + std::to_string(std::min(kUsualRank, model.hidden)));
    }
    if (lora.rank > model.hidden) {
        return fail(Error::Code::BadInput,
                    "settings.lora.rank",
                    "a rank of " + std::to_string(lora.rank) + " is above the hidden size (" +
                        std::to_string(model.hidden) +
                        "): adapters larger than the layers they adapt",
                    "settings.lora.rank=" + std::to_string(std::min(kUsualRank, model.hidden)));
    }
    return {};
}

/// PEFT passes over a name that no layer has, unless it finds none at all.
bool namesAny(const NameSet& targets, const ModelSpec& model) {
    const NameSet attention = attentionTargets(model);
    const auto isAttention = [](const std::string& name) {
        return name.starts_with("q") || name.starts_with("k") || name == "v" || name == "o";
    };
    return std::ranges::any_of(targets, [&](const std::string& name) {
        return !isAttention(name) || attention.contains(name);
    });
}

std::string plusList(const NameSet& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : "+") + name;
    }
    return text;
}

Result<void> checkTargets(const LoraSettings& lora, const ModelSpec& model) {
    for (const std::string& target : lora.targets) {
        if (std::find(kTargets.begin(), kTargets.end(), target) == kTargets.end()) {
            return fail(Error::Code::BadInput,
                        "settings.lora.targets",
                        "unknown linear layer '" + target + "'",
                        suggestName(target, kTargets));
        }
    }
    if (lora.targets.empty()) {
        return fail(Error::Code::BadInput,
                    "settings.lora.targets",
                    "LoRA needs at least one linear layer to adapt",
                    "settings.lora.targets=q+v");
    }
    if (!namesAny(lora.targets, model)) {
        return fail(Error::Code::BadInput,
                    "settings.lora.targets",
                    "Target modules not found in the base model: " + model.name +
                        " has none of these layers",
                    "settings.lora.targets=" + plusList(attentionTargets(model)));
    }
    if (lora.targets.size() == 1 && lora.targets.contains("gate") &&
        model.mlp.kind != MlpKind::Gated) {
        return fail(Error::Code::BadInput,
                    "settings.lora.targets",
                    "the MLP of " + model.name + " has no gate",
                    "settings.lora.targets=q+v");
    }
    return {};
}

Result<void> checkTypes(const LoraSettings& lora) {
    constexpr std::array kBases = {Dtype::Fp32, Dtype::Bf16, Dtype::Fp16, Dtype::Nf4, Dtype::Int8};
    constexpr std::array kAdapters = {Dtype::Fp32, Dtype::Bf16, Dtype::Fp16};
    if (std::find(kBases.begin(), kBases.end(), lora.base) == kBases.end()) {
        return fail(Error::Code::BadInput,
                    "settings.lora.base",
                    std::string(nameOf(lora.base)) + " weights cannot be adapted",
                    "use fp32, bf16, fp16, nf4 or int8");
    }
    if (std::find(kAdapters.begin(), kAdapters.end(), lora.dtype) == kAdapters.end()) {
        return fail(Error::Code::BadInput,
                    "settings.lora.dtype",
                    "adapters are not kept in " + std::string(nameOf(lora.dtype)),
                    "use fp32, bf16 or fp16");
    }
    if (lora.doubleQuantization && lora.base != Dtype::Nf4) {
        return fail(Error::Code::BadInput,
                    "settings.lora.double_quantization",
                    "only the scales of an nf4 base are quantised again, not of " +
                        std::string(nameOf(lora.base)),
                    "settings.lora.base=nf4");
    }
    return {};
}

/// PEFT's adapters of parameters that are no linear layers.
Result<void> checkExpertTargets(const Scenario& scenario) {
    const LoraSettings& lora = scenario.settings.lora;
    const bool experts = lora.targets.contains("experts");
    if (!experts && !lora.targets.contains("router")) {
        return {};
    }
    if (!scenario.model.moe) {
        return fail(Error::Code::BadInput,
                    "settings.lora.targets",
                    scenario.model.name + " has no experts",
                    "settings.lora.targets=q+v");
    }
    if (lora.dora || lora.dropout > 0) {
        return fail(Error::Code::BadInput,
                    lora.dora ? "settings.lora.dora" : "settings.lora.dropout",
                    std::string("lora.ParamWrapper, which adapts experts and routers, does not "
                                "work with ") +
                        (lora.dora ? "DoRA" : "lora_dropout != 0"),
                    "leave experts and router out of settings.lora.targets");
    }
    if (experts && scenario.model.family == "llama4_text") {
        return fail(Error::Code::Unsupported,
                    "settings.lora.targets",
                    "adapters of the experts of transformers' llama4_text are not modelled",
                    "settings.lora.targets=q+k+v+o+gate+up+down");
    }
    if (experts && scenario.settings.kernels.experts == ExpertKernel::Sequential) {
        return fail(Error::Code::Unsupported,
                    "settings.kernels.experts",
                    "adapters of experts that are computed one by one are not modelled",
                    "settings.kernels.experts=grouped");
    }
    return {};
}

Result<void> unsupported(std::string where, std::string why, std::string hint) {
    return fail(Error::Code::Unsupported, std::move(where), std::move(why), std::move(hint));
}

/// Cut over ranks, a base of 4 bits lies in bf16 numbers, the type that everything is gathered in;
/// its scales are not cut.
Result<void> checkShardedBase(const Scenario& scenario) {
    const LoraSettings& lora = scenario.settings.lora;
    if (!isQuantized(lora.base)) {
        return {};
    }
    if (lora.base != Dtype::Nf4) {
        return unsupported(
            "settings.lora.base",
            "a sharded base in " + std::string(nameOf(lora.base)) + " is not modelled",
            "settings.lora.base=nf4, or shard=none");
    }
    if (scenario.settings.precision.compute != Dtype::Bf16) {
        return unsupported(
            "settings.precision.compute",
            "a sharded base in nf4 is modelled with bnb_4bit_quant_storage=bfloat16, "
            "which must be the type that weights are gathered in",
            multipliesBf16(scenario.cluster.node.gpu) ? "--precision bf16"
                                                      : "shard=none, or another GPU");
    }
    if (lora.preparedForKbit) {
        return unsupported("settings.lora.prepared_for_kbit",
                           "prepare_model_for_kbit_training is not modelled for a sharded base",
                           "settings.lora.prepared_for_kbit=false");
    }
    return {};
}

bool adaptsStacks(const LoraSettings& lora) {
    return lora.targets.contains("experts") || lora.targets.contains("router");
}

/// What of adapters was recorded to be otherwise, where a checkpoint gathers layers again.
Result<void> checkLoraUnderZero3(const Scenario& scenario) {
    const LoraSettings& lora = scenario.settings.lora;
    FABRICAST_TRY(checkShardedBase(scenario));
    if (usesDrives(scenario.layout.offload)) {
        return unsupported("layout.offload",
                           "LoRA with states on drives is not modelled",
                           "offload=parameters_cpu, or offload=none");
    }
    if (scenario.settings.recompute.kind == Checkpointing::None) {
        return {};
    }
    const std::string under = " not modelled under ZeRO-3 with recomputation";
    if (adaptsStacks(lora)) {
        return unsupported("settings.lora.targets",
                           "adapters of experts and routers are" + under,
                           "recompute=none, shard=zero2, or leave experts and router out of "
                           "settings.lora.targets");
    }
    if (lora.dora &&
        lora.rank * scenario.model.hidden > scenario.settings.deepspeed.persistenceThreshold) {
        return unsupported(
            "settings.lora.dora",
            "DoRA whose lora_A is above stage3_param_persistence_threshold is" + under,
            "recompute=none, shard=zero2, or the stack fsdp2");
    }
    return {};
}

/// Accelerate's and Trainer's runs of PEFT are under autocast.
Result<void> checkTypesUnderFsdp1(const Settings& settings) {
    const PrecisionSettings& types = settings.precision;
    if (types.autocast || settings.lora.dtype == types.compute) {
        return {};
    }
    return fail(Error::Code::BadInput,
                "settings.precision.autocast",
                "PEFT gives adapters inputs of their stored type, FSDP1 gathers them in another: "
                "expected mat1 and mat2 to have the same dtype",
                "settings.precision.autocast=true, or settings.lora.dtype=" +
                    std::string(nameOf(types.compute)));
}

/// What PEFT reads of adapters outside of their own forward is cut.
Result<void> checkLoraUnderFsdp1(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const LoraSettings& lora = settings.lora;
    FABRICAST_TRY(checkTypesUnderFsdp1(settings));
    if (scenario.layout.shard == Shard::None) {
        return unsupported("layout.shard", "LoRA is not modelled under NO_SHARD", "stack=ddp");
    }
    if (adaptsStacks(lora)) {
        return fail(Error::Code::BadInput,
                    "settings.lora.targets",
                    "lora.ParamWrapper, which adapts experts and routers, reads weights that FSDP1 "
                    "has cut",
                    "stack=fsdp2, or leave experts and router out of settings.lora.targets");
    }
    if (lora.dora && settings.torch.useOrigParams) {
        return fail(Error::Code::BadInput,
                    "settings.lora.dora",
                    "DoRA reads the shape of adapters that FSDP1 has cut: tuple index out of range",
                    "stack=fsdp2, or settings.lora.dora=false");
    }
    if (lora.dora) {
        return unsupported("settings.lora.dora",
                           "DoRA is not modelled under FSDP1",
                           "stack=fsdp2, or settings.lora.dora=false");
    }
    const bool casts = settings.torch.useOrigParams && !isQuantized(lora.base) &&
                       lora.dtype != settings.precision.compute;
    return casts && settings.recompute.kind != Checkpointing::None
               ? unsupported("settings.torch.use_orig_params",
                             "adapters that are recomputed under FSDP1 with use_orig_params are "
                             "not modelled",
                             "settings.torch.use_orig_params=false, or recompute=none")
               : Result<void>();
}

bool onlyAttention(const LoraSettings& lora) {
    return std::ranges::all_of(lora.targets, [](const std::string& target) {
        return target == "q" || target == "k" || target == "v" || target == "o";
    });
}

/// What of torchtitan's and Megatron-Bridge's adapters, beside layers that are the framework's own,
/// was not recorded.
Result<void> checkFrameworkLora(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const std::string beside =
        " of " + std::string(nameOf(settings.kernels.code)) + "'s layers is not modelled";
    const std::string elsewhere = "stack=axolotl or accelerate";
    if (scenario.model.moe && settings.kernels.code != ModelCode::TorchTitan) {
        return unsupported("settings.tuning", "LoRA beside experts" + beside, elsewhere);
    }
    if (scenario.model.moe && scenario.layout.tp > 1) {
        return unsupported("layout.tp", "LoRA beside experts with tp" + beside, "tp=1");
    }
    if (scenario.model.moe && !onlyAttention(settings.lora)) {
        return unsupported("settings.lora.targets",
                           "LoRA of experts, shared or not," + beside,
                           "settings.lora.targets=q+k+v+o");
    }
    if (scenario.model.attention.kind == AttentionKind::Latent) {
        return unsupported("settings.tuning", "LoRA of latent attention" + beside, elsewhere);
    }
    if (scenario.model.mtpDepth > 0) {
        return unsupported("settings.tuning", "LoRA beside predictions" + beside, elsewhere);
    }
    if (settings.kernels.quantization != Quantization::None) {
        return unsupported(
            "settings.kernels.quantization",
            "LoRA over products in " + std::string(nameOf(settings.kernels.quantization)) + beside,
            "--precision bf16");
    }
    if (scenario.layout.offload != Offload::None) {
        return unsupported("layout.offload", "LoRA with offload" + beside, "offload=none");
    }
    if (settings.lora.dora || isQuantized(settings.lora.base)) {
        return unsupported(settings.lora.dora ? "settings.lora.dora" : "settings.lora.base",
                           settings.lora.dora ? "DoRA" + beside : "a quantised base" + beside,
                           elsewhere);
    }
    const Engine engine = settings.engine;
    return engine == Engine::Megatron || engine == Engine::Fsdp2 || engine == Engine::Ddp ||
                   engine == Engine::Local
               ? Result<void>()
               : unsupported("settings.tuning",
                             "LoRA is not modelled under " + std::string(nameOf(engine)),
                             elsewhere);
}

}  // namespace

Result<void> checkLora(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    if (settings.tuning != Tuning::Lora) {
        return {};
    }
    FABRICAST_TRY(checkRank(settings.lora, scenario.model));
    FABRICAST_TRY(checkTargets(settings.lora, scenario.model));
    FABRICAST_TRY(checkTypes(settings.lora));
    FABRICAST_TRY(checkExpertTargets(scenario));
    const ModelCode code = settings.kernels.code;
    if (code == ModelCode::Torch) {
        return unsupported("settings.tuning",
                           "LoRA is modelled as PEFT runs it over transformers' layers, not for " +
                               std::string(nameOf(code)) + "'s",
                           "stack=axolotl or accelerate");
    }
    if (code != ModelCode::HuggingFace) {
        return checkFrameworkLora(scenario);
    }
    if (scenario.layout.tp > 1) {
        return unsupported("layout.tp", "LoRA is not modelled with tensor parallelism", "tp=1");
    }
    const bool zero = settings.engine == Engine::DeepSpeed;
    if (zero && scenario.layout.shard == Shard::None) {
        return unsupported("layout.shard",
                           "memory of LoRA under DeepSpeed is modelled for ZeRO-1, -2 and -3",
                           "shard=zero2, or the stack fsdp2");
    }
    if (zero && scenario.layout.shard == Shard::Zero3) {
        FABRICAST_TRY(checkLoraUnderZero3(scenario));
    }
    if (!zero && settings.engine != Engine::Local && settings.engine != Engine::Ddp &&
        settings.engine != Engine::Fsdp2 && settings.engine != Engine::Fsdp1) {
        return unsupported("settings.tuning",
                           "LoRA is not modelled under " + std::string(nameOf(settings.engine)),
                           "shard=none, or the stack fsdp2");
    }
    // deepspeed.initialize casts the whole module to the type that it trains in.
    if (zero && settings.lora.dtype != settings.precision.parameters) {
        return fail(Error::Code::BadInput,
                    "settings.lora.dtype",
                    "DeepSpeed trains adapters in the type of the model, " +
                        std::string(nameOf(settings.precision.parameters)),
                    "settings.lora.dtype=" + std::string(nameOf(settings.precision.parameters)));
    }
    if (settings.engine == Engine::Fsdp1) {
        FABRICAST_TRY(checkLoraUnderFsdp1(scenario));
    }
    return settings.engine == Engine::Fsdp2 || settings.engine == Engine::Fsdp1
               ? checkShardedBase(scenario)
               : Result<void>();
}

}  // namespace fabricast
