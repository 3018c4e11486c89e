#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_keys.h"

namespace fabricast {

/// Adapters of NeMo 1's "model.peft", by the names of Bridge's LoRA: "peft", "peft.dim",
/// "peft.target_modules" with "linear_qkv" of "attention_qkv". Without target modules they are on
/// attention_qkv, as NeMo 1 has it.
Result<void> addNemoAdapters(const LaunchKeys& yaml, LaunchKeys& keys);

}  // namespace fabricast
