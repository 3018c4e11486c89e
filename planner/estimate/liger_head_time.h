#pragma once
#include "planner/estimate/segment_time.h"

namespace fabricast {

/// Head and loss as Liger fuses them (`ligerHead`): a chunk's three products, its loss and its
/// casts run in forward, chunk after chunk; backward scales the two gradients.
SegmentTime ligerHeadTime(const Scenario& scenario, const KernelProfile& kernels);

}  // namespace fabricast
