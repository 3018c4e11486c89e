#pragma once
#include "planner/base/result.h"
#include "planner/launch/import_launch.h"
#include "planner/launch/launch_keys.h"
#include "planner/launch/scenario_draft.h"

#include <string_view>

namespace fabricast {

// How a Python program makes the model that it gives to a Trainer.

/// Key of a program that makes its model with Unsloth.
inline constexpr const char* kUnslothKey = "unsloth";

/// Key of a program that gives its Trainer an optimizer that is not read.
inline constexpr const char* kUnreadOptimizer = "optimizers";

/// A type that a program leaves to the GPU: bf16, or fp16 where the GPU has none. Nobody types it.
inline constexpr const char* kTypeOfGpu = "$gpu";

/// Whether one of Unsloth's classes loads it, "FastLanguageModel.from_pretrained".
bool loadsByUnsloth(std::string_view called);

/// What Unsloth's FastLanguageModel is told of the model and its adapters, with what it has where
/// it is not told, as arguments of a command line. Nothing where a program does not call it.
void addUnslothArguments(const LaunchKeys& program, LaunchKeys& keys);

/// A model of another kind than a language model, "Qwen2_5_VLForConditionalGeneration", where the
/// program loads no other, as one key.
void addOtherModel(const LaunchKeys& program, LaunchKeys& keys);

/// The functions that are given a model, or return one, and that are not read, as one key.
void addUnreadMakers(const LaunchKeys& program, LaunchKeys& keys);

/// What Trainer(optimizers=(optimizer, scheduler)) is given, or a create_optimizer of the program
/// makes, in place of what TrainingArguments say.
void addMadeOptimizer(const LaunchKeys& program, LaunchKeys& keys);

/// Refuses what makes models or adapters in a way that is known, and not read.
Result<void> checkMakers(const LaunchKeys& program);

/// Says in the draft what is not known of a model so made; four bits without adapters are refused.
Result<void> importMadeModel(ScenarioDraft& draft);

/// What the program does to its model before it trains: which weights are trained, other rows of
/// its tables; and other models beside it.
Result<void> importChangedModel(ScenarioDraft& draft, const ImportContext& context);

/// Whether a program changes the size of its model by this key: "from_pretrained.hidden_size".
bool changesSize(const LaunchKeys& program, const LaunchKey& key);

/// Asks for a model whose configuration, or whose list of layers, a program changes.
void importChangedConfig(ScenarioDraft& draft);

/// Models beside the one that is trained.
void importOtherModels(ScenarioDraft& draft, const ImportContext& context);

/// What it keeps beside the activations of one call: those of other calls, attention's
/// probabilities, hidden states, copies of its weights.
void importModelExtras(ScenarioDraft& draft);

}  // namespace fabricast
