#include "planner/ops/expert_layers.h"
#include "planner/spec/autoep_presets.h"

#include <string>
#include <utility>

namespace fabricast {

namespace {

Result<void> refusedByAutoEp(const char* key, std::string why, std::string hint) {
    return fail(Error::Code::Unsupported, key, std::move(why), std::move(hint));
}

Result<void> checkFamily(const ModelSpec& model) {
    if (autoEpPreset(model.family).empty()) {
        return refusedByAutoEp("model.moe",
                               "AutoEP of DeepSpeed 0.19.8 has no preset for " + model.family +
                                   ": it has for mixtral, qwen2_moe, qwen3_moe, qwen3_5_moe, "
                                   "deepseek_v2, deepseek_v3 and minimax_m3",
                               "ep=1 with settings.kernels.experts=grouped, or the stack "
                               "torchtitan or megatron");
    }
    const HfRouter* const code = hfRouterOf(model.family);
    if (code == nullptr || code->scoring != HfScoring::SoftmaxOfAll) {
        return refusedByAutoEp(
            "model.moe",
            "AutoEP's router of " + model.family +
                " is not modelled; those of mixtral, qwen2_moe and qwen3_moe are",
            "ep=1 with settings.kernels.experts=grouped, or the stack megatron");
    }
    return {};
}

Result<void> checkAutoEpDegrees(const Layout& layout) {
    if (layout.tp == 1 && layout.cp == 1 && layout.pp == 1) {
        return {};
    }
    const char* key = layout.tp > 1 ? "layout.tp" : layout.cp > 1 ? "layout.cp" : "layout.pp";
    return refusedByAutoEp(
        key,
        layout.tp > 1   ? "AutoTP around AutoEP's experts (folding) is not modelled"
        : layout.cp > 1 ? "sequence parallelism around AutoEP's experts is not modelled"
                        : "AutoEP looks for the layers of a transformers model, which a "
                          "PipelineModule has not",
        "tp=1, cp=1 and pp=1, or the stack megatron");
}

/// What PEFT and others put around the model changes its names.
Result<void> checkAutoEpTraining(const Scenario& scenario) {
    if (scenario.settings.tuning == Tuning::Lora) {
        return refusedByAutoEp("settings.tuning",
                               "AutoEP: no MoE layers detected for model_type='" +
                                   scenario.model.family +
                                   "': in PEFT's model they are "
                                   "base_model.model.model.layers, and presets look for "
                                   "model.layers",
                               "ep=1 with settings.kernels.experts=grouped, or tuning=full");
    }
    if (!scenario.settings.trainsAll()) {
        return refusedByAutoEp(
            "settings.tuning", "AutoEP is modelled where everything is trained", "tuning=full");
    }
    return {};
}

Result<void> checkAutoEpEngine(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const PrecisionSettings& types = settings.precision;
    if (types.autocast || types.parameters != types.gradients || types.parameters == Dtype::Fp32) {
        return refusedByAutoEp("settings.precision",
                               "AutoEP is modelled in 16 bits with gradients of the same type",
                               "settings.precision.parameters=bf16 and "
                               "settings.precision.gradients=bf16");
    }
    if (scenario.layout.offload != Offload::None) {
        return refusedByAutoEp(
            "layout.offload", "offload is not modelled with AutoEP", "offload=none");
    }
    if (scenario.layout.shard == Shard::Zero3 && scenario.model.moe->sharedWidth > 0) {
        return refusedByAutoEp("layout.shard",
                               "how ZeRO-3 gathers the shared experts beside AutoEP's layer is "
                               "not modelled",
                               "shard=zero2, or the stack fsdp2");
    }
    const DeepSpeedSettings& zero = settings.deepspeed;
    const bool flat =
        scenario.layout.shard == Shard::Zero1 || scenario.layout.shard == Shard::Zero2;
    if (flat && !(zero.contiguousGradients && zero.reduceScatter)) {
        return refusedByAutoEp("settings.deepspeed",
                               "contiguous_gradients and reduce_scatter must be set to True for "
                               "MoE. Other code paths are not tested with MoE",
                               "both of them true");
    }
    if (settings.optimizer.kind == OptimizerKind::Adafactor) {
        return refusedByAutoEp("settings.optimizer.kind",
                               "Adafactor's step of a stack of experts is not modelled",
                               "settings.optimizer.kind=adamw");
    }
    return {};
}

}  // namespace

Result<void> checkAutoEpCode(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const bool runs =
        settings.engine == Engine::DeepSpeed && settings.kernels.code == ModelCode::HuggingFace;
    if (usesAutoEp(scenario) && !runs) {
        return refusedByAutoEp("settings.kernels.experts",
                               "AutoEP is DeepSpeed's, of transformers' models",
                               "the stack deepspeed, or settings.kernels.experts=grouped");
    }
    return {};
}

Result<void> checkAutoEp(const Scenario& scenario) {
    FABRICAST_TRY(checkFamily(scenario.model));
    FABRICAST_TRY(checkAutoEpDegrees(scenario.layout));
    FABRICAST_TRY(checkAutoEpTraining(scenario));
    FABRICAST_TRY(checkAutoEpEngine(scenario));
    const KernelSettings& kernels = scenario.settings.kernels;
    if (kernels.compile) {
        return refusedByAutoEp("settings.kernels.compile",
                               "compiled code is not modelled with AutoEP",
                               "settings.kernels.compile=false");
    }
    if (kernels.capacityFactor > 0) {
        return refusedByAutoEp("settings.kernels.capacity_factor",
                               "AutoEP's router drops no tokens",
                               "settings.kernels.capacity_factor=0, or "
                               "settings.kernels.experts=deepspeed");
    }
    return {};
}

}  // namespace fabricast
