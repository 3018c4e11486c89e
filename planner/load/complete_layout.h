#pragma once
#include "planner/base/result.h"
#include "planner/spec/layout_fields.h"
#include "planner/stack/stack.h"

#include <cstdint>
#include <optional>

namespace fabricast {

/// What a layout has to fill.
struct Room {
    std::optional<std::int64_t> gpus;  ///< if the number was given
    std::int64_t usualGpus = 1;        ///< else: of the cluster as it is sold
    std::int64_t gpusPerNode = 1;
};

/// The layout with every missing key filled in: dp from what tp, pp and cp leave of the GPUs, the
/// rest from the stack, else 1. A contradiction is an error with the arithmetic.
///     tp 8 x pp 4 x cp 1 x dp 3 = 96, but there are 128 GPUs (dp=4)
Result<Layout> completeLayout(const PartialLayout& partial, const Stack& stack, const Room& room);

/// The samples of a step must be distributed evenly: to dp ranks, micro_batch at a time.
Result<void> checkBatch(const Layout& layout, std::int64_t globalBatch);

}  // namespace fabricast
