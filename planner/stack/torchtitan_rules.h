#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// These are torchtitan's own checks (parallel_dims.py, decoder.py, pipeline_parallel.py and
/// trainer.py, 0.3 and main), with their error texts.
Result<void> checkTorchtitanRules(const Scenario& scenario);

}  // namespace fabricast
