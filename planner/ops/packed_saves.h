#pragma once
#include "planner/base/short_list.h"
#include "planner/ops/op_list.h"

#include <cstdint>

namespace fabricast {

/// One tensor that torch's save_on_cpu packs: each that a node saves goes to host memory of its
/// own, in row-major order, and comes back for the node's backward.
struct PackedTensor {
    std::int64_t bytes = 0;
    TensorId id = kNoTensor;  ///< none: a weight, or ids made outside
    bool ordered = true;      ///< false: it is a transposed view, copied on the GPU first
    bool reordered = false;   ///< its kernel wants it as it was, and copies it once more
};
using PackedTensors = ShortList<PackedTensor, 8>;

/// What an op packs: the tensors that it saves and, where its input wants a gradient, its weights,
/// of which an element has `weightWidth` bytes; 0: they are parameters, which are left out, and
/// autocast's copies alone are not.
PackedTensors packedBy(const OpList& list, const Op& op, std::int64_t weightWidth);

/// The same of all ops.
std::int64_t packedBytes(const OpList& list, std::int64_t weightWidth);

/// What Transformer Engine's offload marks of all ops, each tensor by itself.
std::int64_t markedBytes(const OpList& list);

}  // namespace fabricast
