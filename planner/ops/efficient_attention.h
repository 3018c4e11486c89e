#pragma once
#include "planner/ops/op_builder.h"

#include <cstdint>

namespace fabricast {

/// This is PyTorch's memory-efficient attention (CUTLASS), which runs where flash attention does
/// not: fp32, or values of another width than keys. Its backward takes a workspace that depends on
/// the blocks of the kernel PyTorch picks for the head's width.
struct EfficientShape {
    std::int64_t batch = 1;
    std::int64_t sequence = 0;
    std::int64_t heads = 0;
    std::int64_t keyDim = 0;
    std::int64_t valueDim = 0;
};
/// Bytes of the backward's workspace.
std::int64_t efficientWorkspace(const EfficientShape& shape, bool twoByteType);

TensorId efficientAttention(
    OpBuilder& g, TensorId q, TensorId k, TensorId v, const EfficientShape& shape);

}  // namespace fabricast
