#pragma once
#include "planner/base/units.h"
#include "planner/compute/kernel_limits.h"
#include "planner/spec/kernel_profile.h"

namespace fabricast {

/// One kernel that moves `bytes`, read and written together, perhaps the mean of several: a launch,
/// then a share of the bandwidth, so that small ones are far from it.
///     memoryTime(profile, MemoryOp::Norm, tokens * 4.0 * hidden, {});
Seconds memoryTime(const KernelProfile& profile, MemoryOp op, double bytes, const RateState& state);

}  // namespace fabricast
