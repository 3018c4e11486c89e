#pragma once
#include "planner/base/result.h"
#include "simulator/engine/simulate.h"

#include <span>

namespace fabricast {

/// Some of the ops that never start, in their order; `waits` is by op.
Error deadlockOf(const SimProgram& program, std::span<const std::uint32_t> waits);

/// Fills in what each actor sent and received. No hop begins before its bytes are made, and what
/// is sent arrives.
void countBytes(const SimProgram& program, SimRun& run);

}  // namespace fabricast
