#include "planner/stack/accelerate_rules.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"
#include "planner/stack/torch_methods.h"

#include <array>

namespace fabricast {
namespace {

// distributed_type FSDP (version 2), DEEPSPEED (zero1..3) or MULTI_GPU (none)
constexpr std::array kShards = {
    Shard::Fsdp, Shard::Hsdp, Shard::Zero3, Shard::Zero2, Shard::Zero1, Shard::None};
// parallelism_config cp_backend torch, sp_backend deepspeed
constexpr std::array kContext = {CpKind::AllGather, CpKind::Ring, CpKind::Ulysses};
constexpr std::array kOffloads = {
    Offload::OptimizerCpu, Offload::OptimizerNvme, Offload::ParametersCpu, Offload::ParametersNvme};
constexpr StackAxes kAxes{.tensor = true,
                          .context = kContext,
                          .shards = kShards,
                          .offloads = kOffloads,
                          .checkOffload = &checkAccelerateOffload};
constexpr StackMethods kMethods{.optimizers = kEveryOptimizer,
                                .quantizations = kTorchaoLinears,
                                .compute = kEveryCompute,
                                .recompute = kWholeBlocks,
                                .lora = true,
                                .quantizedBase = true};

// Accelerate upcasts trainable parameters to fp32 under FSDP2 with mixed precision, reduces in
// bf16, and skips the reduction on all micro-steps but the last (no_sync), which keeps whole
// gradients. transformers' Trainer asks for adamw_torch_fused.
Settings defaults(const Layout& layout) {
    Settings settings;
    switch (layout.shard) {
        case Shard::None:
            settings = ddpStack().defaults(layout);
            if (layout.replicas() == 1) {
                settings.engine = Engine::Local;  // one process is not wrapped
            }
            break;
        case Shard::Fsdp:
        case Shard::Hsdp:
            settings = fsdp2Stack().defaults(layout);
            break;
        case Shard::Zero1:
        case Shard::Zero2:
        case Shard::Zero3:
            settings = deepspeedStack().defaults(layout);
            break;
    }
    settings.optimizer.kernel = OptimizerKernel::Fused;
    settings.optimizer.decayGroups = true;
    settings.torch.sync = GradientSync::LastMicroBatch;
    return settings;
}

Result<void> check(const Scenario& scenario) {
    FABRICAST_TRY(checkCommon(accelerateStack(), scenario));
    return checkAccelerateRules(scenario);
}

}  // namespace

Stack accelerateStack() {
    return {.name = "accelerate",
            .title = "Hugging Face Accelerate / Trainer",
            .description = "DDP, FSDP2 or DeepSpeed by shard, as accelerate launch sets them up",
            .axes = kAxes,
            .methods = kMethods,
            .defaults = &defaults,
            .check = &check};
}

}  // namespace fabricast
