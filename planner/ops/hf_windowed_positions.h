#pragma once
#include "planner/ops/dense_attention.h"
#include "planner/ops/rotary.h"

#include <cstdint>

namespace fabricast {

/// Llama 4's queries and keys: layers that attend within chunks turn them as complex numbers and
/// may divide each head by its length; the others have no positions, and may scale queries by how
/// far into the sequence they are.
Projected positionedInWindows(OpBuilder& g,
                              const Scenario& scenario,
                              const Rotary& table,
                              const Projected& projections,
                              std::int64_t layer);

}  // namespace fabricast
