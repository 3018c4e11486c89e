#include "planner/spec/names.h"
#include "planner/stack/megatron_rules.h"
#include "planner/stack/model_code.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"
#include "planner/stack/torch_methods.h"

#include <array>

namespace fabricast {
namespace {

// --data-parallel-sharding-strategy optim_grads_params (its default), HSDP by
// --num-distributed-optimizer-instances, optim_grads, optim, no_shard
constexpr std::array kShards = {
    Shard::Fsdp, Shard::Hsdp, Shard::Zero3, Shard::Zero2, Shard::Zero1, Shard::None};
constexpr std::array kContext = {
    CpKind::Ring, CpKind::AllGather, CpKind::Ulysses, CpKind::Hierarchical};
constexpr StackAxes kAxes{.tensor = true,
                          .sequence = true,
                          .expert = true,
                          .expertTensor = true,
                          .context = kContext,
                          .shards = kShards};

constexpr std::array kOptimizers = {
    OptimizerKind::AdamW, OptimizerKind::Sgd, OptimizerKind::SgdMomentum};
constexpr std::array kQuantizations = {Quantization::Fp8Tensorwise,
                                       Quantization::Fp8Blockwise,
                                       Quantization::MxFp8,
                                       Quantization::NvFp4};
constexpr StackMethods kMethods{.optimizers = kOptimizers,
                                .quantizations = kQuantizations,
                                .compute = kEveryCompute,
                                .recompute = kMegatronRecompute};

// --use-megatron-fsdp: bf16 weights, fp32 master and moments, all split; main gradients take the
// parameters' dtype unless megatron_fsdp_main_grads_dtype says otherwise.
Settings defaults(const Layout&) {
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

Result<void> check(const Scenario& scenario) {
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
            .axes = kAxes,
            .methods = kMethods,
            .defaults = &defaults,
            .check = &check};
}

}  // namespace fabricast
