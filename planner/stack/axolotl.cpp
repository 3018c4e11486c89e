#include "planner/stack/stack_list.h"

namespace fabricast {
namespace {

StackAxes axes() {
    StackAxes axes = accelerateStack().axes;
    axes.expert = true;  // the expert_parallel plugin
    return axes;
}

// Axolotl trains through Accelerate: the same engines, dtypes and no_sync.
Settings defaults(const Layout& layout) {
    return accelerateStack().defaults(layout);
}

Result<void> check(const Scenario& scenario) {
    return checkAxes("axolotl", axes(), scenario.layout);
}

}  // namespace

Stack axolotlStack() {
    return {.name = "axolotl",
            .title = "Axolotl",
            .description = "full fine-tuning, LoRA and QLoRA over Accelerate's FSDP2 or DeepSpeed",
            .axes = axes(),
            .defaults = &defaults,
            .check = &check};
}

}  // namespace fabricast
