#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_keys.h"
#include "planner/launch/python_branches.h"
#include "planner/launch/scenario_draft.h"

namespace fabricast {

/// Key at each call of fully_shard: of what it is, "layers", "root", "part" or "any".
inline constexpr const char* kReshardedPart = "fully_shard of";

/// Adds these keys.
///     for layer in model.model.layers: fully_shard(layer)    →  "layers"
///     fully_shard([model.model.norm, model.lm_head])         →  "part"
///     fully_shard(model)                                     →  "root"
void addReshardedParts(const PythonValues& program, const PythonCourse& course, LaunchKeys& keys);

/// What reshard_after_forward says of the layers and of the root: "settings.torch.reshard". That of
/// another part says nothing of them.
Result<void> importResharding(ScenarioDraft& draft);

}  // namespace fabricast
