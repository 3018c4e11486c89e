#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"

namespace fabricast {
namespace {

// LoRA over linear_qkv, linear_proj, linear_fc1 and linear_fc2, with a 16-bit base.
StackMethods nemoMethods() {
    StackMethods nemoMethods = megatronStack().methods;
    nemoMethods.lora = true;
    return nemoMethods;
}

// Recipes use bf16_mixed() (grad_reduce_in_fp32), the distributed optimizer, overlap_grad_reduce,
// overlap_param_gather, and tp_comm_overlap under sequence parallelism; the code that runs is
// Megatron-Core's.
Settings nemoDefaults(const Layout& layout, Tuning tuning) {
    Settings settings = megatronStack().defaults(layout, tuning);
    settings.megatron.overlapGradReduce = true;
    settings.megatron.overlapParamGather = layout.shard != Shard::None;
    settings.megatron.tensorOverlap = layout.sp;
    return settings;
}

Result<void> checkNemo(const Scenario& scenario) {
    FABRICAST_TRY(checkCommon(nemoStack(), scenario));
    return checkMegatronRules(scenario);
}

}  // namespace

Stack nemoStack() {
    return {.name = "nemo",
            .title = "NeMo / Megatron-Bridge",
            .description = "Megatron-Core through Megatron-Bridge's (once NeMo's) recipes",
            .axes = megatronStack().axes,
            .methods = nemoMethods(),
            .defaults = &nemoDefaults,
            .check = &checkNemo};
}

}  // namespace fabricast
