#pragma once
#include "planner/base/result.h"
#include "planner/ops/op_list.h"
#include "planner/spec/scenario.h"

#include <cstdint>

namespace fabricast {

/// The operations of one layer, as the stack's model code writes them.
Result<OpList> layerSegment(const Scenario& scenario, std::int64_t layer);

}  // namespace fabricast
