#pragma once
#include "planner/launch/launch_keys.h"

namespace fabricast {

/// The keys of DeepSpeed's JSON by the names that its documentation has: "max_live_parameters" of
/// zero_optimization is taken too, and is stage3_max_live_parameters.
LaunchKeys deepspeedKeysOf(const LaunchKeys& typed);

}  // namespace fabricast
