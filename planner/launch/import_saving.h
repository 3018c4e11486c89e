#pragma once
#include "planner/base/result.h"
#include "planner/launch/scenario_draft.h"

#include <string_view>

namespace fabricast {

/// How often states are saved, by a key that counts steps, and whether the run goes on meanwhile:
/// "operation.checkpoint_interval" and "operation.checkpoint" of the scenario. Nothing where the
/// key is missing, or counts no steps.
Result<void> importSaving(ScenarioDraft& draft, std::string_view steps, bool background);
/// The same of TrainingArguments' save_strategy and save_steps, which begin with these letters.
Result<void> importTrainerSaving(ScenarioDraft& draft, std::string_view before);

}  // namespace fabricast
