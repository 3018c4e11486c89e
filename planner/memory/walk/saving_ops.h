#pragma once
#include "planner/ops/op_list.h"

#include <cstddef>

namespace fabricast {

/// True where autograd's node for this op saved a tensor, a weight included; bitsandbytes' nodes
/// hold theirs in other ways.
bool savesTensors(const OpList& list, const Op& op);

/// The op whose saved tensors are the first that backward wants of this segment, and the last that
/// a second forward has to make.
std::size_t lastSavingOp(const OpList& list);

/// Some op saves what it makes itself.
bool savesItsOutput(const OpList& list, const Op& op);

}  // namespace fabricast
