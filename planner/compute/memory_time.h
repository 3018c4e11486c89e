#pragma once
#include "planner/base/units.h"
#include "planner/compute/rate_state.h"
#include "planner/spec/kernel_profile.h"

namespace fabricast {

/// One kernel that moves `bytes`, read and written together: a launch, then a share of the
/// bandwidth, so that small ones are far from it. Called memoryBoundTime for Bytes.
///     memoryBoundTime(profile, MemoryOp::Norm, tokens * 4 * hidden, {});
Seconds memoryBoundTime(const KernelProfile& profile,
                        MemoryOp op,
                        Bytes bytes,
                        const RateState& state);

/// The same of a number of bytes that may exceed an integer or be a mean.
Seconds memoryTime(const KernelProfile& profile, MemoryOp op, double bytes, const RateState& state);

}  // namespace fabricast
