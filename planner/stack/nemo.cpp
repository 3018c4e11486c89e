#include "planner/stack/adapter_rules.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"

#include <array>

namespace fabricast {
namespace {

constexpr std::array kBridgeMatrices = {AdaptedTogether{"linear_qkv", "q+k+v"},
                                        AdaptedTogether{"linear_fc1", "gate+up"}};

// LoRA over linear_qkv, linear_proj, linear_fc1 and linear_fc2, with a 16-bit base.
StackMethods nemoMethods() {
    StackMethods nemoMethods = megatronStack().methods;
    nemoMethods.lora = true;
    return nemoMethods;
}

StackAxes nemoAxes() {
    StackAxes axes = megatronStack().axes;
    axes.sequenceWithTensor = true;  // its recipes set it
    return axes;
}

// Recipes use bf16_mixed() (grad_reduce_in_fp32), the distributed optimizer, overlap_grad_reduce,
// overlap_param_gather, and tp_comm_overlap under sequence parallelism; the code that runs is
// Megatron-Core's.
Settings nemoDefaults(const Layout& layout, Tuning tuning) {
    Settings settings = megatronStack().defaults(layout, tuning);
    settings.megatron.overlapGradReduce = true;
    settings.megatron.overlapParamGather = layout.shard != Shard::None;
    settings.megatron.tensorOverlap = layout.sp;
    if (tuning == Tuning::Lora) {
        settings.lora.base = settings.precision.parameters;
        settings.lora.dtype = settings.precision.parameters;
    }
    return settings;
}

/// A ParallelLinearAdapter cuts its rank over tp.
Result<void> checkBridgeAdapters(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    if (settings.tuning != Tuning::Lora) {
        return {};
    }
    const LoraSettings& lora = settings.lora;
    if (lora.dora) {
        return lacks("settings.lora.dora", "LoRA of Megatron has no magnitudes", "false");
    }
    const std::int64_t tp = scenario.layout.tp;
    if (lora.rank % tp != 0) {
        return breaks("settings.lora.rank",
                      text(lora.rank) + " is not divisible by " + text(tp),
                      multiplesHint("settings.lora.rank", lora.rank, tp));
    }
    FABRICAST_TRY(checkAdapterTypes("bf16", settings));
    return checkTogether(kBridgeMatrices, lora.targets);
}

Result<void> checkNemo(const Scenario& scenario) {
    FABRICAST_TRY(checkCommon(nemoStack(), scenario));
    FABRICAST_TRY(checkMegatronRules(scenario));
    return checkBridgeAdapters(scenario);
}

}  // namespace

Stack nemoStack() {
    return {.name = "nemo",
            .title = "NeMo / Megatron-Bridge",
            .description = "Megatron-Core through Megatron-Bridge's (once NeMo's) recipes",
            .axes = nemoAxes(),
            .methods = nemoMethods(),
            .defaults = &nemoDefaults,
            .check = &checkNemo};
}

}  // namespace fabricast
