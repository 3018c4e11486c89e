#pragma once
#include "planner/launch/launch_keys.h"

namespace fabricast {

/// What is typed behind Axolotl's file, as keys of it: "--micro-batch-size 8" is micro_batch_size,
/// and "--no-bf16" says that bf16 is false. Without the options of the command itself.
LaunchKeys axolotlArguments(const LaunchKeys& script);

}  // namespace fabricast
