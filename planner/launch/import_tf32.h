#pragma once
#include "planner/launch/scenario_draft.h"

namespace fabricast {

/// Whether a run in fp32 multiplies in TF32: "settings.precision.tf32". PyTorch does not unless it
/// is asked: by --tf32 of Trainer, tf32 of Axolotl, set_float32_matmul_precision("high") and
/// backends.cuda.matmul.allow_tf32 of a program, or by Accelerate, which turns it on where it
/// compiles.
void importTf32(ScenarioDraft& draft);

}  // namespace fabricast
