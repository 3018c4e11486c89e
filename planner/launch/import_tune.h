#pragma once
#include "planner/launch/import_launch.h"
#include "planner/launch/scenario_draft.h"

namespace fabricast {

// Parts of a recipe's config.

/// Adapters, where the recipe's model has some.
Result<void> importTuneAdapters(ScenarioDraft& draft, bool quantizes);

/// "optimizer._component_", and what its class keeps.
Result<void> importTuneOptimizer(ScenarioDraft& draft);

}  // namespace fabricast
