#include "planner/spec/names.h"
#include "planner/stack/model_code.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"
#include "planner/stack/torch_methods.h"

#include <array>

namespace fabricast {
namespace {

// --data-parallel-sharding-strategy optim_grads_params (its default), HSDP by
// --num-distributed-optimizer-instances, optim_grads, optim, no_shard
constexpr std::array kMegatronFsdpShards = {
    Shard::Fsdp, Shard::Hsdp, Shard::Zero3, Shard::Zero2, Shard::Zero1, Shard::None};
constexpr std::array kMegatronFsdpContext = {
    CpKind::Ring, CpKind::AllGather, CpKind::Ulysses, CpKind::Hierarchical};
constexpr std::array kMegatronFsdpOffloads = {Offload::Activations};  // --cpu-offloading-num-layers
constexpr StackAxes kMegatronFsdpAxes{.tensor = true,
                                      .sequence = true,
                                      .expert = true,
                                      .expertTensor = true,
                                      .context = kMegatronFsdpContext,
                                      .shards = kMegatronFsdpShards,
                                      .offloads = kMegatronFsdpOffloads,
                                      .offloadsIfAsked = true};

// Its states are of the distributed optimizer, which takes Adam alone.
constexpr std::array kMegatronFsdpOptimizers = {OptimizerKind::AdamW};
constexpr std::array kMegatronFsdpQuantizations = {Quantization::Fp8Tensorwise,
                                                   Quantization::Fp8Blockwise,
                                                   Quantization::MxFp8,
                                                   Quantization::NvFp4};
constexpr StackMethods kMegatronFsdpMethods{.optimizers = kMegatronFsdpOptimizers,
                                            .quantizations = kMegatronFsdpQuantizations,
                                            .compute = kEveryCompute,
                                            .recompute = kMegatronRecompute};

// --use-megatron-fsdp: bf16 weights, fp32 master and moments, all split; main gradients take the
// parameters' dtype unless megatron_fsdp_main_grads_dtype is set.
Settings megatronFsdpDefaults(const Layout&, Tuning) {
    Settings settings;
    settings.engine = Engine::MegatronFsdp;
    settings.kernels = megatronKernels();
    settings.precision = {.parameters = Dtype::Bf16,
                          .compute = Dtype::Bf16,
                          .gradients = Dtype::Bf16,
                          .reduce = Dtype::Bf16,
                          .masterWeights = true,
                          .moments = Dtype::Fp32};
    settings.optimizer.kernel = OptimizerKernel::Fused;
    settings.megatron.distributedOptimizer = true;
    return settings;
}

Result<void> checkMegatronFsdp(const Scenario& scenario) {
    const OptimizerKind optimizer = scenario.settings.optimizer.kind;
    if (optimizer == OptimizerKind::Muon || optimizer == OptimizerKind::Lion) {
        return lacks("settings.optimizer.kind",
                     "Megatron-FSDP does not support the " + std::string(nameOf(optimizer)) +
                         " optimizer yet.",
                     "optimizer adamw, or stack=megatron");
    }
    FABRICAST_TRY(checkCommon(megatronFsdpStack(), scenario));
    return checkMegatronRules(scenario);
}

}  // namespace

Stack megatronFsdpStack() {
    return {.name = "megatron-fsdp",
            .title = "Megatron-FSDP",
            .description =
                "Megatron-Core with --use-megatron-fsdp: weights, gradients and "
                "optimizer split over data parallel ranks",
            .axes = kMegatronFsdpAxes,
            .methods = kMegatronFsdpMethods,
            .defaults = &megatronFsdpDefaults,
            .check = &checkMegatronFsdp};
}

}  // namespace fabricast
