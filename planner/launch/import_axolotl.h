#pragma once
#include "planner/base/result.h"
#include "planner/launch/import_launch.h"
#include "planner/launch/scenario_draft.h"

namespace fabricast {

// Keys of an Axolotl file, by what they are about.

/// How states are divided over the ranks, where DeepSpeed's file does not say it.
Result<void> importAxolotlSharding(ScenarioDraft& draft);

/// Ranks that the command starts, where one does: those of tensor and context parallelism are
/// among them.
Result<void> importAxolotlRanks(ScenarioDraft& draft);

/// What is trained: adapters with their base, or a part of the weights.
Result<void> importAxolotlTuning(ScenarioDraft& draft, const ImportContext& context);

}  // namespace fabricast
