#include "planner/stack/model_code.h"
#include "planner/stack/stack_list.h"

#include <array>

namespace fabricast {
namespace {

// FULL_SHARD, HYBRID_SHARD, SHARD_GRAD_OP, NO_SHARD
constexpr std::array kShards = {Shard::Fsdp, Shard::Hsdp, Shard::Zero2, Shard::None};
constexpr std::array kOffloads = {Offload::ParametersCpu};  // CPUOffload(offload_params=True)
constexpr StackAxes kAxes{.shards = kShards, .offloads = kOffloads};

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
    settings.torch.backwardPrefetch = true;
    settings.torch.forwardPrefetch = false;
    settings.torch.limitAllGathers = true;
    return settings;
}

Result<void> check(const Scenario& scenario) {
    return checkAxes("fsdp1", kAxes, scenario.layout);
}

}  // namespace

Stack fsdp1Stack() {
    return {.name = "fsdp1",
            .title = "PyTorch FSDP1",
            .description = "FullyShardedDataParallel with flat parameters; superseded by fsdp2",
            .axes = kAxes,
            .defaults = &defaults,
            .check = &check};
}

}  // namespace fabricast
