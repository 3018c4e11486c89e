#pragma once
#include "planner/ops/op_list.h"

#include <cstdint>

namespace fabricast {

/// What backward does beside the operations' own gradients: where several of them read one tensor,
/// autograd adds their gradients up, two at a time.
struct GradientSums {
    std::int64_t bytes = 0;  ///< both terms read and the sum written
    std::int64_t count = 0;
};

/// `compiled`: the sums are part of the kernels that read them, and only the terms are left.
GradientSums gradientSums(const OpList& list, bool compiled);

}  // namespace fabricast
