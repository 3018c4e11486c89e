#pragma once
#include "planner/request/scenario_json.h"

namespace fabricast {

/// The part "imported" of a scenario that was made of a launch file; nothing where it has none.
Result<void> readImported(const JsonValue& root, ScenarioRequest& request);

}  // namespace fabricast
