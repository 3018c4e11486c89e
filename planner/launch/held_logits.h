#pragma once
#include "planner/launch/python_models.h"
#include "planner/launch/scenario_draft.h"

namespace fabricast {

/// Key of a name that a loop gives what its model returns: the logits live as long as it has that.
inline constexpr const char* kHeldLogits = "model output held";

/// Adds that key where a backward pass follows.
///     out = model(x, labels=x); out.loss.backward()  →  "out"
///     model(x, labels=x).loss.backward()             →  none
void addHeldLogits(const PythonValues& program, const PythonModels& models, LaunchKeys& keys);

/// Says that they are not counted.
void importHeldLogits(ScenarioDraft& draft);

}  // namespace fabricast
