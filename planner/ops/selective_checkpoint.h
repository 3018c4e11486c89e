#pragma once
#include "planner/ops/op_list.h"

namespace fabricast {

/// Marks what torchtitan's per-op selective checkpointing keeps of a layer: the outputs of
/// attention and top-k kernels and of every second GEMM, starting with the first; grouped GEMMs and
/// the router's never.
void markSelective(OpList& layer, bool collectives);

}  // namespace fabricast
