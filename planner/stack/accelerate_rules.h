#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// These are Accelerate's checks of its ParallelismConfig (1.15), with their error texts, and those
/// of the engine that the sharding names. Axolotl starts its runs through it.
Result<void> checkAccelerateRules(const Scenario& scenario);
/// Which offload the engine of a sharding has.
Result<void> checkAccelerateOffload(Shard shard, Offload offload);

}  // namespace fabricast
