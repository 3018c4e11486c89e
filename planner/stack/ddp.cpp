#include "planner/stack/model_code.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"
#include "planner/stack/torch_methods.h"

#include <array>

namespace fabricast {
namespace {

constexpr std::array kDdpShards = {Shard::None};
constexpr std::array kDdpOffloads = {Offload::Activations};  // save_on_cpu around the forward
constexpr StackAxes kDdpAxes{.shards = kDdpShards, .offloads = kDdpOffloads};
constexpr StackMethods kDdpMethods{.optimizers = kEveryOptimizer,
                                   .quantizations = kTorchaoLinears,
                                   .compute = kEveryCompute,
                                   .recompute = kWholeBlocks,
                                   .lora = true,
                                   .quantizedBase = true};

// torch.nn.parallel.DistributedDataParallel around a transformers model under autocast: fp32
// weights and gradients, 25 MiB buckets that are not the gradients themselves, one all-reduce per
// step (training loops wrap the other micro-steps in no_sync).
Settings ddpDefaults(const Layout&, Tuning) {
    Settings settings;
    settings.engine = Engine::Ddp;
    settings.kernels = huggingFaceKernels();
    settings.precision = {.parameters = Dtype::Fp32,
                          .compute = Dtype::Bf16,
                          .autocast = true,
                          .gradients = Dtype::Fp32,
                          .reduce = Dtype::Fp32,
                          .masterWeights = false,
                          .moments = Dtype::Fp32};
    settings.optimizer.kernel = OptimizerKernel::Foreach;  // torch.optim.AdamW on CUDA tensors
    settings.torch.sync = GradientSync::LastMicroBatch;
    return settings;
}

Result<void> checkDdp(const Scenario& scenario) {
    FABRICAST_TRY(checkCommon(ddpStack(), scenario));
    FABRICAST_TRY(checkWorld(scenario));
    return checkBatch(scenario);
}

}  // namespace

Stack ddpStack() {
    return {.name = "ddp",
            .title = "PyTorch DDP",
            .description = "every GPU holds the whole model; gradients are all-reduced in buckets",
            .axes = kDdpAxes,
            .methods = kDdpMethods,
            .defaults = &ddpDefaults,
            .check = &checkDdp};
}

}  // namespace fabricast
