#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"

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

}  // namespace fabricast
