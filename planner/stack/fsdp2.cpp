#include "planner/stack/model_code.h"
#include "planner/stack/stack_list.h"

#include <array>

namespace fabricast {
namespace {

constexpr std::array kShards = {Shard::Fsdp, Shard::Hsdp};
constexpr std::array kOffloads = {Offload::ParametersCpu};  // CPUOffloadPolicy
constexpr StackAxes kAxes{.shards = kShards, .offloads = kOffloads};

// fully_shard on every block and the root with MixedPrecisionPolicy(param_dtype=bf16): shards,
// gradients and moments are fp32, reduce_dtype defaults to the gradients' bf16, and every backward
// reduces. Blocks are resharded after forward, the root is not.
Settings defaults(const Layout&) {
    Settings settings;
    settings.engine = Engine::Fsdp2;
    settings.kernels = huggingFaceKernels();
    settings.precision = {.parameters = Dtype::Fp32,
                          .compute = Dtype::Bf16,
                          .gradients = Dtype::Fp32,
                          .reduce = Dtype::Bf16,
                          .moments = Dtype::Fp32};
    settings.optimizer.kernel = OptimizerKernel::Foreach;
    settings.torch.sync = GradientSync::EachMicroBatch;
    settings.torch.reshard = Reshard::Default;
    return settings;
}

Result<void> check(const Scenario& scenario) {
    return checkAxes("fsdp2", kAxes, scenario.layout);
}

}  // namespace

Stack fsdp2Stack() {
    return {.name = "fsdp2",
            .title = "PyTorch FSDP2",
            .description =
                "fully_shard: parameters, gradients and optimizer split over all ranks, "
                "or over each group of shard_size with hsdp",
            .axes = kAxes,
            .defaults = &defaults,
            .check = &check};
}

}  // namespace fabricast
