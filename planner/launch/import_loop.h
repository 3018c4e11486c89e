#pragma once
#include "planner/base/result.h"
#include "planner/launch/scenario_draft.h"

#include <initializer_list>

namespace fabricast {

// What a training loop in Python says beside how it is divided: a draft's keys are those of
// readPythonKeys.

/// The first of these that the program calls or says; "" where it does none.
const char* saidOf(const LaunchKeys& keys, std::initializer_list<const char*> paths);

/// Sequence, microbatch and accumulation, by the names that the program gives to numbers:
/// SEQUENCE, MICRO_BATCH, ACCUMULATION and their like.
Result<void> importLoopSizes(ScenarioDraft& draft);
/// The type of the weights, and that of products under MixedPrecisionPolicy or autocast.
Result<void> importLoopPrecision(ScenarioDraft& draft, bool fsdp);
/// AdamW with its kernels, and others that the program makes.
Result<void> importLoopOptimizer(ScenarioDraft& draft);
/// The model on the Hub, its attention, recomputation and compilation.
Result<void> importLoopModel(ScenarioDraft& draft);

}  // namespace fabricast
