#include "planner/stack/megatron_rules.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"

namespace fabricast {
namespace {

// LoRA over linear_qkv, linear_proj, linear_fc1 and linear_fc2, with a 16-bit base.
StackMethods methods() {
    StackMethods methods = megatronStack().methods;
    methods.lora = true;
    return methods;
}

// Recipes use bf16_mixed() (grad_reduce_in_fp32), the distributed optimizer, overlap_grad_reduce,
// overlap_param_gather, and tp_comm_overlap under sequence parallelism; the code that runs is
// Megatron-Core's.
Settings defaults(const Layout& layout) {
    Settings settings = megatronStack().defaults(layout);
    settings.megatron.overlapGradReduce = true;
    settings.megatron.overlapParamGather = layout.shard != Shard::None;
    settings.megatron.tensorOverlap = layout.sp;
    return settings;
}

Result<void> check(const Scenario& scenario) {
    FABRICAST_TRY(checkCommon(nemoStack(), scenario));
    return checkMegatronRules(scenario);
}

}  // namespace

Stack nemoStack() {
    return {.name = "nemo",
            .title = "NeMo / Megatron-Bridge",
            .description = "Megatron-Core through Megatron-Bridge's (once NeMo's) recipes",
            .axes = megatronStack().axes,
            .methods = methods(),
            .defaults = &defaults,
            .check = &check};
}

}  // namespace fabricast
