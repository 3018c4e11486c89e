#include "planner/launch/possible_lengths.h"
#include "planner/launch/torchtune.h"
#include "planner/lint/known_keys.h"

namespace fabricast {
namespace {

KeyOwner deepspeedOwner() {
    return {.framework = "deepspeed",
            .version = "0.19.8",
            .loader = ValueLoader::Json,
            .strict = {"zero_optimization",
                       "zero_optimization.offload_optimizer",
                       "zero_optimization.offload_param",
                       "bf16",
                       "fp16"},
            .silent = {"", "data_types", "expert_parallel", "torch_autocast"}};
}

KeyOwner accelerateOwner(const LintFile& file) {
    const bool isSagemaker = file.text("compute_environment") == "AMAZON_SAGEMAKER";
    return {.framework = isSagemaker ? "accelerate-sagemaker" : "accelerate",
            .version = "1.15.0",
            .loader = ValueLoader::Yaml,
            .strict = {""},
            .silent = {"fsdp_config", "deepspeed_config", "parallelism_config"}};
}

KeyOwner titanOwner(const LintFile& file) {
    if (file.isArguments()) {
        return {.framework = "torchtitan",
                .version = "0.3.0",
                .loader = ValueLoader::Switches,
                .strict = {"training", "parallelism", "compile", "activation_checkpoint"},
                .silent = {}};
    }
    return {.framework = "torchtitan",
            .version = "0.2.2",
            .loader = ValueLoader::Toml,
            .strict = {"",
                       "activation_checkpoint",
                       "checkpoint",
                       "comm",
                       "compile",
                       "job",
                       "lr_scheduler",
                       "metrics",
                       "model",
                       "optimizer",
                       "parallelism",
                       "profiling",
                       "training",
                       "validation"},
            .silent = {}};
}

}  // namespace

std::optional<KeyOwner> keyOwnerOf(const LintFile& file) {
    switch (file.kind()) {
        case LaunchKind::Deepspeed:
            return deepspeedOwner();
        case LaunchKind::Accelerate:
            return accelerateOwner(file);
        case LaunchKind::Axolotl:
            return KeyOwner{.framework = "axolotl",
                            .version = "0.19.0",
                            .loader = ValueLoader::Yaml,
                            .strict = {},
                            .silent = {"",
                                       "fsdp_config",
                                       "datasets",
                                       "datasets.type",
                                       "test_datasets",
                                       "test_datasets.type",
                                       "pretraining_dataset"}};
        case LaunchKind::Titan:
            return titanOwner(file);
        case LaunchKind::Tune:
            return KeyOwner{.framework = "torchtune",
                            .version = "0.6.1",
                            .loader = ValueLoader::Yaml,
                            .strict = {},
                            .silent = {""}};
        case LaunchKind::Megatron:
        case LaunchKind::Trainer:
        case LaunchKind::Torch:
        case LaunchKind::Script:
            break;
    }
    return std::nullopt;
}

bool isOfTheLauncher(std::string_view path) {
    return path == "script" || path == kTuneKey || path.starts_with("torchrun ") ||
           path.starts_with("env ") || path.starts_with("sbatch ") || path.starts_with("srun ") ||
           path.starts_with("mpirun ") || path.starts_with(kPossibleLength);
}

}  // namespace fabricast
