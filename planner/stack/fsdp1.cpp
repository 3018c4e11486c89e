#include "planner/spec/names.h"
#include "planner/stack/model_code.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"
#include "planner/stack/torch_methods.h"

#include <array>

namespace fabricast {
namespace {

// FULL_SHARD, HYBRID_SHARD, SHARD_GRAD_OP, NO_SHARD
constexpr std::array kFsdp1Shards = {Shard::Fsdp, Shard::Hsdp, Shard::Zero2, Shard::None};
constexpr std::array kFsdp1Offloads = {Offload::ParametersCpu};  // CPUOffload(offload_params=True)
constexpr StackAxes kFsdp1Axes{.shards = kFsdp1Shards, .offloads = kFsdp1Offloads};

// Flat parameters hold no matrices, so there is no Muon, and no torchao linears.
constexpr std::array kFsdp1Optimizers = {OptimizerKind::AdamW,
                                         OptimizerKind::AdamW8bit,
                                         OptimizerKind::PagedAdamW8bit,
                                         OptimizerKind::Adafactor,
                                         OptimizerKind::Lion,
                                         OptimizerKind::Lion8bit,
                                         OptimizerKind::Sgd,
                                         OptimizerKind::SgdMomentum};
constexpr StackMethods kFsdp1Methods{.optimizers = kFsdp1Optimizers,
                                     .compute = kEveryCompute,
                                     .recompute = kWholeBlocks,
                                     .lora = true,
                                     .quantizedBase = true};

// torch's FullyShardedDataParallel with MixedPrecision(param_dtype=bf16): reduce_dtype is None, so
// gradients travel as bf16; the shards stay fp32. BACKWARD_PRE and limit_all_gathers are on. PEFT
// gives adapters inputs of the shards' type, which only autocast multiplies by gathered weights.
Settings fsdp1Defaults(const Layout& layout, Tuning tuning) {
    Settings settings;
    settings.engine = Engine::Fsdp1;
    settings.kernels = huggingFaceKernels();
    settings.precision = {.parameters = Dtype::Fp32,
                          .compute = Dtype::Bf16,
                          .autocast = tuning == Tuning::Lora,
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

Result<void> checkFsdp1(const Scenario& scenario) {
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
            .axes = kFsdp1Axes,
            .methods = kFsdp1Methods,
            .defaults = &fsdp1Defaults,
            .check = &checkFsdp1};
}

}  // namespace fabricast
