#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// These are what DeepSpeed's parser and engine refuse (0.19), with their error texts, and what it
/// ignores without a word: an ignored setting is an error here. Accelerate and Axolotl share them.
Result<void> checkDeepspeedRules(const Scenario& scenario);
/// Which offload the ZeRO stages read.
Result<void> checkZeroOffload(Shard shard, Offload offload);

}  // namespace fabricast
