#pragma once
#include "planner/base/result.h"
#include "planner/launch/scenario_draft.h"

namespace fabricast {

// What a run does beside its steps: "settings.phases" of the scenario. Called when the rest of the
// draft is known; what is not modelled beside it is noted.

/// TrainingArguments: --eval_strategy, --per_device_eval_batch_size, and what keeps logits.
Result<void> importTrainerEvaluation(ScenarioDraft& draft);
/// Axolotl's names: val_set_size, eval_steps, eval_batch_size.
Result<void> importAxolotlEvaluation(ScenarioDraft& draft);
/// A key that says how a checkpoint gathers sharded weights.
void noteFullCheckpoint(ScenarioDraft& draft, std::string_view from);

}  // namespace fabricast
