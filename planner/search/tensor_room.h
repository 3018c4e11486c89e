#pragma once
#include "planner/base/units.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// Bytes that tensors of a layout may take: with more it does not fit, or takes more of the device
/// than `limit` with what its runtime is expected to. `capacity` is the device's.
Bytes tensorRoom(const Scenario& scenario, Bytes capacity, Bytes limit);

}  // namespace fabricast
