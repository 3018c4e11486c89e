#include "planner/ops/expert_layers.h"

#include <string>

namespace fabricast {

namespace {

Result<void> refused(const char* key, std::string why, std::string hint) {
    return fail(Error::Code::Unsupported, key, std::move(why), std::move(hint));
}

/// TopKGate is a softmax without biases; the experts are MLPs of one kind without them.
Result<void> checkGateOf(const MoeSpec& moe, const std::string& family) {
    const char* other = moe.sigmoidScore || moe.correctionBias ? "scores by sigmoid"
                        : moe.groups > 1                       ? "groups of experts"
                        : moe.routerBias                       ? "a router with biases"
                        : moe.expertBias                       ? "experts with biases"
                        : moe.clampedGlu                       ? "a clamped activation"
                        : moe.sharedGate                       ? "a gated shared expert"
                                                               : nullptr;
    if (other != nullptr) {
        return refused("model.moe",
                       family + " has " + other + ", which deepspeed.moe.layer.MoE has not",
                       "ep=1 with settings.kernels.experts=grouped, or the stack megatron");
    }
    if (moe.sharedWidth > 0 && !moe.residual) {
        return refused("model.moe",
                       "shared experts beside deepspeed.moe.layer.MoE are modelled as its residual "
                       "expert alone",
                       "\"residual\": true and a shared_width of the experts' in the model's moe");
    }
    return {};
}

Result<void> checkEngineOf(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const PrecisionSettings& types = settings.precision;
    if (scenario.layout.shard == Shard::Zero3) {
        return refused("layout.shard",
                       "Native DeepSpeed MoE is not supported with ZeRO Stage 3. Use AutoEP or "
                       "choose ZeRO stage 1/2.",
                       "shard=zero2");
    }
    if (types.autocast || types.parameters != types.gradients || types.parameters == Dtype::Fp32) {
        return refused("settings.precision",
                       "deepspeed.moe.layer.MoE is modelled in 16 bits with gradients of the same "
                       "type",
                       "settings.precision.parameters=bf16 and settings.precision.gradients=bf16");
    }
    if (scenario.layout.offload != Offload::None) {
        return refused("layout.offload",
                       "offload is not modelled with deepspeed.moe.layer.MoE",
                       "offload=none");
    }
    const DeepSpeedSettings& zero = settings.deepspeed;
    if (scenario.layout.shard != Shard::None && !(zero.contiguousGradients && zero.reduceScatter)) {
        return refused("settings.deepspeed",
                       "contiguous_gradients and reduce_scatter must be set to True for MoE. Other "
                       "code paths are not tested with MoE",
                       "both of them true");
    }
    return {};
}

}  // namespace

Result<void> checkDeepSpeedMoeCode(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const bool native =
        settings.engine == Engine::DeepSpeed && settings.kernels.code == ModelCode::HuggingFace;
    if (usesDeepSpeedMoe(scenario) && !native) {
        return refused("settings.kernels.experts",
                       "deepspeed.moe.layer.MoE runs under DeepSpeed's engine",
                       "the stack deepspeed, or settings.kernels.experts=grouped");
    }
    if (scenario.model.moe && scenario.model.moe->residual && !usesDeepSpeedMoe(scenario)) {
        return refused("model.moe",
                       "residual experts are those of deepspeed.moe.layer.MoE",
                       "the stack deepspeed with settings.kernels.experts=deepspeed");
    }
    return {};
}

Result<void> checkDeepSpeedMoe(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const std::string layer = "deepspeed.moe.layer.MoE";
    FABRICAST_TRY(checkGateOf(*scenario.model.moe, scenario.model.family));
    FABRICAST_TRY(checkEngineOf(scenario));
    if (layout.tp > 1 || layout.cp > 1 || layout.pp > 1) {
        const char* key = layout.tp > 1 ? "layout.tp" : layout.cp > 1 ? "layout.cp" : "layout.pp";
        return refused(key,
                       "tensor, sequence and pipeline parallelism are not modelled with " + layer,
                       "tp=1, cp=1 and pp=1, or the stack megatron");
    }
    if (!scenario.settings.trainsAll()) {
        return refused(
            "settings.tuning", layer + " is modelled where everything is trained", "tuning=full");
    }
    if (scenario.settings.kernels.compile) {
        return refused("settings.kernels.compile",
                       "compiled code is not modelled with " + layer,
                       "settings.kernels.compile=false");
    }
    return {};
}

Result<void> checkLeastCapacity(const Scenario& scenario) {
    const std::int64_t tokens = scenario.workload.sequence * scenario.layout.microBatch;
    if (usesDeepSpeedMoe(scenario) && tokens < scenario.settings.deepspeed.minCapacity) {
        return refused("settings.deepspeed.min_capacity",
                       "No. of tokens (batch-size) should be greater than min_capacity. Either set "
                       "min_capacity to 0 or increase your batch size.",
                       "settings.deepspeed.min_capacity=0");
    }
    return {};
}

}  // namespace fabricast
