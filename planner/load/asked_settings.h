#pragma once
#include "planner/base/result.h"
#include "planner/request/scenario_json.h"
#include "planner/spec/scenario.h"
#include "planner/stack/stack.h"

#include <string>
#include <vector>

namespace fabricast {

// The settings of a scenario, and whether they go together; `assumed` gets what nobody said.

/// The stack's defaults for the scenario's model and layout, and the user's overrides.
Result<Settings> settingsOf(const ScenarioRequest& request,
                            const Stack& stack,
                            const Scenario& scenario);

/// Which attention runs where PyTorch's own cannot compute the model's and nobody said which.
void addAttentionNote(const ScenarioRequest& request,
                      const Scenario& scenario,
                      std::vector<std::string>& assumed);

/// The GPU has to multiply in the types of the settings: bf16 on a V100 runs nowhere.
Result<void> checkMultiplies(const Scenario& scenario);

/// What a stack says of a scenario, with a hint that its GPU can follow: none is told to compute in
/// bf16 that does not multiply in it.
Result<void> hintedFor(const Scenario& scenario, Result<void> checked);

/// LoRA settings have no effect in full training; missing ones are assumed.
Result<void> checkTuning(const ScenarioRequest& request,
                         const ModelSpec& model,
                         const Stack& stack,
                         const Settings& settings,
                         std::vector<std::string>& assumed);

}  // namespace fabricast
