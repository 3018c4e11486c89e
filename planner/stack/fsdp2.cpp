#include "planner/spec/names.h"
#include "planner/stack/model_code.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"
#include "planner/stack/torch_methods.h"

#include <array>

namespace fabricast {
namespace {

constexpr std::array kFsdp2Shards = {Shard::Fsdp, Shard::Hsdp};
// CPUOffloadPolicy, and save_on_cpu around the forward
constexpr std::array kFsdp2Offloads = {Offload::ParametersCpu, Offload::Activations};
constexpr StackAxes kFsdp2Axes{.shards = kFsdp2Shards, .offloads = kFsdp2Offloads};
constexpr StackMethods kFsdp2Methods{.optimizers = kEveryOptimizer,
                                     .quantizations = kTorchaoLinears,
                                     .compute = kEveryCompute,
                                     .recompute = kWholeBlocks,
                                     .lora = true,
                                     .quantizedBase = true};

// fully_shard on every block and the root with MixedPrecisionPolicy(param_dtype=bf16): shards,
// gradients and moments are fp32, reduce_dtype defaults to the gradients' bf16, and every backward
// reduces. Blocks are resharded after forward, the root is not.
Settings fsdp2Defaults(const Layout&, Tuning) {
    Settings settings;
    settings.engine = Engine::Fsdp2;
    settings.kernels = huggingFaceKernels();
    settings.precision = {.parameters = Dtype::Fp32,
                          .compute = Dtype::Bf16,
                          .gradients = Dtype::Fp32,
                          .reduce = Dtype::Bf16,
                          .moments = Dtype::Fp32};
    settings.optimizer.kernel = OptimizerKernel::Foreach;
    settings.optimizer.library = LowBitLibrary::TorchAo;
    settings.torch.sync = GradientSync::EachMicroBatch;
    settings.torch.reshard = Reshard::Default;
    return settings;
}

Result<void> checkFsdp2(const Scenario& scenario) {
    FABRICAST_TRY(checkCommon(fsdp2Stack(), scenario));
    FABRICAST_TRY(checkWorld(scenario));
    FABRICAST_TRY(checkBatch(scenario));
    return checkShardedOptimizer(scenario);
}

}  // namespace

// The CUDA operations of bitsandbytes and DeepSpeed take no DTensors; torchao's optimizers do. Both
// Adafactors fail at their first step on them: torch's where it squares the norms of columns in
// place, transformers' where it adds to the plain tensors that it keeps.
Result<void> checkShardedOptimizer(const Scenario& scenario) {
    const OptimizerSettings& optimizer = scenario.settings.optimizer;
    if (optimizer.kind == OptimizerKind::Adafactor) {
        return lacks("settings.optimizer.kind",
                     "Adafactor cannot step the DTensors of FSDP2: in-place operations that "
                     "require placement changes are not supported (torch.optim), got mixed "
                     "torch.Tensor and DTensor (transformers)",
                     "--optimizer adamw_8bit or muon, or --stack fsdp1");
    }
    const bool isDeepSpeeds = optimizer.kernel == OptimizerKernel::DeepSpeed;
    if (isDeepSpeeds || optimizer.kernel == OptimizerKernel::BitsAndBytes) {
        return lacks("settings.optimizer.kernel",
                     std::string(isDeepSpeeds ? "DeepSpeed's FusedAdam steps"
                                              : "bitsandbytes' kernels step") +
                         " no DTensors, which the parameters of FSDP2 are",
                     "settings.optimizer.kernel=fused, foreach or for_loop, or --stack fsdp1");
    }
    const bool bitsAndBytes = optimizer.library == LowBitLibrary::BitsAndBytes ||
                              optimizer.kind == OptimizerKind::PagedAdamW8bit ||
                              optimizer.kind == OptimizerKind::Lion8bit;
    if (!isEightBit(optimizer.kind) || !bitsAndBytes) {
        return {};
    }
    return breaks("settings.optimizer.library",
                  "FSDP2 not compatible with " + std::string(nameOf(optimizer.kind)) +
                      ", use `adamw_torch_8bit` instead",
                  "settings.optimizer.library=torchao (adamw_torch_8bit), or --stack fsdp1");
}

Stack fsdp2Stack() {
    return {.name = "fsdp2",
            .title = "PyTorch FSDP2",
            .description =
                "fully_shard: parameters, gradients and optimizer split over all ranks, "
                "or over each group of shard_size with hsdp",
            .axes = kFsdp2Axes,
            .methods = kFsdp2Methods,
            .defaults = &fsdp2Defaults,
            .check = &checkFsdp2};
}

}  // namespace fabricast
