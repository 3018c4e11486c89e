#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"
#include "planner/launch/launch_keys.h"
#include "planner/launch/opened_file.h"

#include <array>
#include <optional>
#include <string_view>

namespace fabricast {

/// What the script of run.sh is told on its command line beside the framework's file, in the words
/// of Hugging Face's Trainer and of TRL's sft.py: whose defaults would otherwise train another
/// plan.
struct TrainerPart {
    bool recomputes = true;     ///< no file says what is recomputed
    bool optimizes = true;      ///< the Trainer makes the optimizer
    bool learnsAsFile = false;  ///< DeepSpeed's file has numbers for how fast it learns
};

/// DeepSpeed's learning rate and weight decay, where its file makes the optimizer with numbers.
inline constexpr double kLearningRate = 2e-5;
inline constexpr double kWeightDecay = 0.1;

/// Whether `--optim` says the optimizer, and reads back as it.
bool saysOptimizer(const OptimizerSettings& optimizer);

/// Weights of 16 bits that are trained as they are: nothing is mixed.
bool trainsHalves(const Settings& settings);

/// Behind the script of run.sh, which has to take them.
Result<void> addTrainerArguments(const LaunchFacts& facts,
                                 const TrainerPart& part,
                                 LaunchFiles& files);

/// Whether an argument is what scripts of the Hub's world call the length of a sample:
/// "--model_max_length".
bool isLengthArgument(std::string_view argument);

/// Axolotl's own kernels for adapters: fused products and activations.
inline constexpr std::array kLoraKernels = {"lora_mlp_kernel", "lora_qkv_kernel", "lora_o_kernel"};

/// Whether an `attn_implementation` keeps samples that are packed in one sequence apart, as
/// Axolotl has it (ATTN_IMPLS_SUPPORTING_PACKING of schemas/enums.py); under its old names, too.
bool separatesSamples(std::string_view attention);

/// What is typed behind Axolotl's file, as keys of it: "--micro-batch-size 8" is micro_batch_size,
/// and "--no-bf16" says that bf16 is false. Without the options of the command itself.
LaunchKeys axolotlArguments(const LaunchKeys& script);

/// What is typed behind accelerate launch, as the keys of Accelerate's file: "--zero_stage 3" is
/// "deepspeed_config.zero_stage". None where another launcher starts the script. An argument that
/// is none of accelerate launch is an error.
Result<LaunchKeys> accelerateArguments(const LaunchKeys& script);

/// Whether accelerate launch takes it, however it is written: "--fsdp-version", "--fsdp_version".
bool isAccelerateArgument(std::string_view flag);

/// Those arguments as a file of their own, where they choose how the ranks train: --use_fsdp,
/// --use_deepspeed or --use_parallelism_config.
Result<std::optional<OpenedFile>> typedAccelerateFile(const LaunchKeys& script);

}  // namespace fabricast
