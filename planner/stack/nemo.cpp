#include "planner/stack/stack_list.h"

namespace fabricast {
namespace {

Result<void> check(const Scenario& scenario) {
    return checkAxes("nemo", megatronStack().axes, scenario.layout);
}

// Recipes use bf16_mixed() (grad_reduce_in_fp32), the distributed optimizer, and
// overlap_grad_reduce; the code that runs is Megatron-Core's.
Settings defaults(const Layout& layout) {
    Settings settings = megatronStack().defaults(layout);
    settings.megatron.overlapGradReduce = true;
    return settings;
}

}  // namespace

Stack nemoStack() {
    return {.name = "nemo",
            .title = "NeMo / Megatron-Bridge",
            .description = "Megatron-Core through Megatron-Bridge's (once NeMo's) recipes",
            .axes = megatronStack().axes,
            .defaults = &defaults,
            .check = &check};
}

}  // namespace fabricast
