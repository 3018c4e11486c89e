#pragma once
#include "planner/ops/dense_attention.h"
#include "planner/ops/rotary.h"

#include <cstdint>

namespace fabricast {

// Liger's kernels in place of the layers of transformers' models, each a function in Python around
// Triton kernels (liger_kernel 0.8.5, ops/rms_norm.py, rope.py, swiglu.py, geglu.py). What they
// save is contiguous: what is not is copied.

/// How a norm's input lies in memory.
enum class NormedRows { InOrder, HeadsFirst };

/// It keeps its input and one number of each row.
TensorId ligerNorm(OpBuilder& g,
                   const Scenario& scenario,
                   TensorId x,
                   std::int64_t rows,
                   int weight,
                   NormedRows lies = NormedRows::InOrder);

/// Also the norms of queries and keys.
bool normsHeadsByLiger(const Scenario& scenario);
bool rotatesByLiger(const Scenario& scenario);
/// Turns both over themselves, and their gradients over the gradients.
Projected rotateByLiger(OpBuilder& g,
                        const Scenario& scenario,
                        const Rotary& table,
                        const Projected& projections);

/// SwiGLU, GeGLU: keeps both factors, and backward writes their gradients over them.
TensorId ligerGated(OpBuilder& g, TensorId gate, TensorId up);

}  // namespace fabricast
