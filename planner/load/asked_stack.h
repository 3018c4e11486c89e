#pragma once
#include "planner/base/result.h"
#include "planner/request/scenario_json.h"
#include "planner/spec/scenario.h"
#include "planner/stack/stack.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

// The stack that runs a scenario; `assumed` gets what nobody said.

/// Whether it asks for LoRA.
bool trainsAdapters(const ScenarioRequest& request);

/// Whether some of the model's weights are frozen: adapters are trained, or a part of them.
bool freezesSome(const ScenarioRequest& request);

/// torchtitan by default, and of a model that it has no code for, or a GPU whose precision it does
/// not have, the first stack that has both and the keys of the layout; where weights are frozen
/// fsdp2, or ddp on one GPU. What a named stack lacks of the model is said.
Result<const Stack*> stackOf(const ScenarioRequest& request,
                             const ModelSpec& model,
                             const GpuSpec& gpu,
                             std::vector<std::string>& assumed);

/// Says what of the model would be the user's own under a stack that is named.
void addOwnPartNote(const ScenarioRequest& request,
                    const ModelSpec& model,
                    std::string_view stack,
                    std::vector<std::string>& assumed);

}  // namespace fabricast
