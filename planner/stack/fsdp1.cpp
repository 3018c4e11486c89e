#include "planner/spec/names.h"
#include "planner/stack/model_code.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"
#include "planner/stack/torch_methods.h"

#include <array>

namespace fabricast {
namespace {

// FULL_SHARD, HYBRID_SHARD, SHARD_GRAD_OP, NO_SHARD
constexpr std::array kShards = {Shard::Fsdp, Shard::Hsdp, Shard::Zero2, Shard::None};
constexpr std::array kOffloads = {Offload::ParametersCpu};  // CPUOffload(offload_params=True)
constexpr StackAxes kAxes{.shards = kShards, .offloads = kOffloads};

// Flat parameters hold no matrices, so there is no Muon, and no torchao linears.
constexpr std::array kOptimizers = {OptimizerKind::AdamW,
                                    OptimizerKind::AdamW8bit,
                                    OptimizerKind::PagedAdamW8bit,
                                    OptimizerKind::Adafactor,
                                    OptimizerKind::Lion,
                                    OptimizerKind::Lion8bit,
                                    OptimizerKind::Sgd,
                                    OptimizerKind::SgdMomentum};
constexpr StackMethods kMethods{.optimizers = kOptimizers,
                                .compute = kEveryCompute,
                                .recompute = kWholeBlocks,
                                .lora = true,
                                .quantizedBase = true};

// torch's FullyShardedDataParallel with MixedPrecision(param_dtype=bf16): reduce_dtype is None, so
// gradients travel as bf16; the shards stay fp32. BACKWARD_PRE and limit_all_gathers are on.
Settings defaults(const Layout& layout) {
    Settings settings;
    settings.engine = Engine::Fsdp1;
    settings.kernels = huggingFaceKernels();
    settings.precision = {.parameters = Dtype::Fp32,
                          .compute = Dtype::Bf16,
                          .gradients = Dtype::Fp32,
                          .reduce = Dtype::Bf16,
                          .moments = Dtype::Fp32};
    settings.optimizer.kernel = OptimizerKernel::Foreach;
    settings.torch.sync = GradientSync::EachMicroBatch;
    settings.torch.shardGradOp = layout.shard == Shard::Zero2;
    settings.torch.useOrigParams = false;
    settings.torch.backwardPrefetch = BackwardPrefetch::Pre;
    settings.torch.forwardPrefetch = false;
    settings.torch.limitAllGathers = true;
    return settings;
}

Result<void> check(const Scenario& scenario) {
    const OptimizerKind optimizer = scenario.settings.optimizer.kind;
    if (optimizer == OptimizerKind::Muon) {
        return lacks(
            "settings.optimizer.kind",
            "Muon optimizer is only compatible with FSDP2. Set fsdp_version: 2 to use Muon "
            "with FSDP.",
            "stack=fsdp2");
    }
    FABRICAST_TRY(checkCommon(fsdp1Stack(), scenario));
    FABRICAST_TRY(checkWorld(scenario));
    FABRICAST_TRY(checkBatch(scenario));
    if (isEightBit(optimizer) && scenario.layout.offload != Offload::None) {
        return breaks("settings.optimizer.kind",
                      "FSDP Offload not compatible with " + std::string(nameOf(optimizer)),
                      "optimizer adamw, or offload=none");
    }
    return {};
}

}  // namespace

Stack fsdp1Stack() {
    return {.name = "fsdp1",
            .title = "PyTorch FSDP1",
            .description = "FullyShardedDataParallel with flat parameters; superseded by fsdp2",
            .axes = kAxes,
            .methods = kMethods,
            .defaults = &defaults,
            .check = &check};
}

}  // namespace fabricast
