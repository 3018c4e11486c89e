#pragma once
#include "planner/base/result.h"
#include "planner/load/load_scenario.h"
#include "planner/profiles/profile_store.h"
#include "planner/request/scenario_json.h"

#include <string>
#include <vector>

namespace fabricast {

// The model that is asked for, and what of its file is left out.

/// Where neither a model nor a cluster is given, one error lists both.
Result<void> checkGiven(const ScenarioRequest& request);

Result<ModelSpec> modelOf(const ScenarioRequest& request,
                          const ProfileStore& profiles,
                          const Folders& folders);

/// What of the model's file is left out.
void addModelNotes(const ModelSpec& model, std::vector<std::string>& assumed);

}  // namespace fabricast
