#pragma once
#include "planner/base/result.h"
#include "planner/launch/import_launch.h"
#include "planner/launch/launch_keys.h"
#include "planner/launch/scenario_draft.h"

#include <optional>
#include <string>

namespace fabricast {

// Keys of an Axolotl file, by what they are about.

/// How states are divided over the ranks, where DeepSpeed's file does not say it.
Result<void> importAxolotlSharding(ScenarioDraft& draft);

/// Ranks that the command starts, where one does: those of tensor and context parallelism are
/// among them.
Result<void> importAxolotlRanks(ScenarioDraft& draft);

/// What is trained: adapters with their base, or a part of the weights.
Result<void> importAxolotlTuning(ScenarioDraft& draft, const ImportContext& context);

// Arguments of Hugging Face's Trainer, by what they are about.

/// How "--fsdp" and its own arguments shard the parameters.
Result<void> importTrainerFsdp(ScenarioDraft& draft, const ImportContext& context);

/// Microbatches, steps and length of a sample.
Result<void> importTrainerBatch(ScenarioDraft& draft);

/// Types, recomputation and kernels; whether a launcher's own file said a precision.
Result<void> importTrainerPrecision(ScenarioDraft& draft, bool isSaid);

/// Refuses what is not plain training of a language model: TRL's trainers on preferences, by the
/// class that a program calls, the script's name or an argument that they alone have.
Result<void> refusePreferenceTrainer(LaunchKeys& keys);
bool trainsOnPreferences(LaunchKeys keys);

/// "--device_map auto" puts the layers of one model on the GPUs of one process: refused beside
/// other ranks, as Accelerate does, and noted for a process that has several GPUs.
Result<void> importDeviceMap(ScenarioDraft& draft, std::optional<std::int64_t> ranks);

/// Whether CUDA_VISIBLE_DEVICES shows one GPU alone.
bool seesOneGpu(LaunchKeys& keys);

// Parts of a recipe's config.

/// Adapters, where the recipe's model has some.
Result<void> importTuneAdapters(ScenarioDraft& draft, bool quantizes);

/// "optimizer._component_", and what its class keeps.
Result<void> importTuneOptimizer(ScenarioDraft& draft);

/// The keys of an argument that takes a JSON file by its name, JSON itself, or a program's
/// dictionary: --fsdp_config, --liger_kernel_config.
Result<LaunchKeys> configOf(LaunchKeys& keys,
                            const std::string& argument,
                            const ImportContext& context);

}  // namespace fabricast
