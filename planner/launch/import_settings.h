#pragma once
#include "planner/base/result.h"
#include "planner/launch/scenario_draft.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace fabricast {

/// What a script or a program sets of PyTorch's allocator, in the variable that PyTorch looks at:
/// "settings.allocator", "settings.max_split_size_mb" and "settings.roundup_power2_divisions".
/// Options that are not modelled, or that PyTorch refuses, are noted.
void importAllocator(ScenarioDraft& draft);

/// Variables that change what a process holds or how long it waits, and are not modelled: noted.
void noteProcessVariables(ScenarioDraft& draft);
/// Switches of argparse that decide what a program does and that nothing types.
void noteUntypedSwitches(ScenarioDraft& draft);

// What a training loop in Python says beside how it is divided: a draft's keys are those of
// readPythonKeys.

/// The first of these that the program calls or says; "" where it does none.
const char* saidOf(const LaunchKeys& keys, std::initializer_list<const char*> paths);

/// Sequence, microbatch and accumulation, by the names that the program gives to numbers:
/// SEQUENCE, MICRO_BATCH, ACCUMULATION and their like. The sequence alone where a file has the
/// batch.
Result<void> importLoopSizes(ScenarioDraft& draft, bool hasBatch = true);
/// The type of the weights, and that of products under MixedPrecisionPolicy or autocast.
Result<void> importLoopPrecision(ScenarioDraft& draft, bool fsdp);
/// AdamW with its kernels, and others that the program makes.
Result<void> importLoopOptimizer(ScenarioDraft& draft);
/// The model on the Hub, its attention, recomputation and compilation.
Result<void> importLoopModel(ScenarioDraft& draft);

// What a run does beside its steps: "settings.phases" of the scenario. Called when the rest of the
// draft is known; what is not modelled beside it is noted.

/// Key of what a program splits from its training data for the evaluation: a count, or a share.
inline constexpr const char* kSplitSize = "evaluation test_size";
/// TrainingArguments: --eval_strategy, --per_device_eval_batch_size, and what keeps logits.
Result<void> importTrainerEvaluation(ScenarioDraft& draft);
/// The evaluation of a loop of a program's own: the batches of its DataLoader, where they are
/// larger than those of the training, and whether it keeps graphs.
void importLoopEvaluation(ScenarioDraft& draft);
/// Axolotl's names: val_set_size, eval_steps, eval_batch_size.
Result<void> importAxolotlEvaluation(ScenarioDraft& draft);
Result<void> importTitanValidation(ScenarioDraft& draft);
/// A key that says how a checkpoint gathers sharded weights.
void noteFullCheckpoint(ScenarioDraft& draft, std::string_view from);

/// Refuses these of them that are less than 1, as no batch and no number of microbatches is.
Result<void> checkCounts(LaunchKeys& keys, std::initializer_list<std::string_view> paths);

/// How often states are saved, by a key that counts steps, and whether the run goes on meanwhile:
/// "operation.checkpoint_interval" and "operation.checkpoint" of the scenario. Nothing where the
/// key is missing, or counts no steps.
Result<void> importSaving(ScenarioDraft& draft, std::string_view steps, bool background);
/// The same of TrainingArguments' save_strategy and save_steps, which begin with these letters.
Result<void> importTrainerSaving(ScenarioDraft& draft, std::string_view before);

/// Whether a run in fp32 multiplies in TF32: "settings.precision.tf32". PyTorch does not unless it
/// is asked: by --tf32 of Trainer, tf32 of Axolotl, set_float32_matmul_precision("high") and
/// backends.cuda.matmul.allow_tf32 of a program, or by Accelerate, which turns it on where it
/// compiles.
void importTf32(ScenarioDraft& draft);

/// The type that a Trainer's script loads weights in: `--dtype`, `--torch_dtype`, or what the
/// script does without. Where nothing makes fp32 copies of them, they are trained in it.
struct LoadedWeights {
    std::string dtype;  ///< "float32", "bfloat16", "float16"
    std::string from;   ///< the key that says it
};
Result<LoadedWeights> loadedWeights(ScenarioDraft& draft);

/// Says it of a draft whose sharding and precision are known. FSDP2 under Accelerate stores fp32
/// weights and DeepSpeed has fp32 masters, whatever is loaded; DDP and one GPU train the weights
/// as they are. Of adapters it is the base's type.
Result<void> importLoadedWeights(ScenarioDraft& draft, bool autocast);

/// peft's prepare_model_for_kbit_training, and its argument by name and by place, among the
/// arguments of a Trainer's program.
inline constexpr const char* kKbitPreparation = "--prepare_model_for_kbit_training";
inline constexpr const char* kKbitCheckpoints =
    "--prepare_model_for_kbit_training.use_gradient_checkpointing";
inline constexpr const char* kKbitCheckpointsSecond = "--prepare_model_for_kbit_training.1";

/// FSDP's auto_wrap_policy, by the key of these that has it, and the draft's that it is of: layers
/// are units, or the whole model is one.
Result<void> importWrapPolicy(ScenarioDraft& draft,
                              LaunchKeys& keys,
                              const std::string& path,
                              const std::string& from);

/// Accelerate 1.14 and later: the ends of a model are units beside the rest, whose
/// reshard_after_forward is not named.
void noteApartEnds(ScenarioDraft& draft);

/// Says what that call does to a draft whose adapters and base are known.
Result<void> importKbitPreparation(ScenarioDraft& draft);

/// Where DeepSpeed puts parameters and what the optimizer keeps, by the keys that say it: "cpu",
/// "nvme" or "none". One place for both, or for one of them, is modelled. Only ZeRO stage 3 has
/// parameters to move.
///     importDeepSpeedOffload(draft, "offload_param_device", "offload_optimizer_device", 3);
Result<void> importDeepSpeedOffload(ScenarioDraft& draft,
                                    const std::string& parametersKey,
                                    const std::string& optimizerKey,
                                    std::int64_t stage);

}  // namespace fabricast
