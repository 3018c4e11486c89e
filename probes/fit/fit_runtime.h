#pragma once
#include "planner/measured/measurements.h"
#include "planner/spec/runtime_memory.h"
#include "probes/fit/number_change.h"

#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// What the footprints of a record say of a GPU's memory, put over what was known.
struct FittedRuntime {
    RuntimeMemory runtime;
    std::vector<NumberChange> changes;  ///< empty: nothing was fitted
    std::vector<std::string> leftOut;   ///< and why
};

/// The context is what CUDA, cuBLASLt and cuDNN took together; a communicator what NCCL took for a
/// group and in its first collective. `from` says where the points come from.
FittedRuntime fitRuntime(const RuntimeMemory& known,
                         std::span<const RecordedPoint> points,
                         const std::string& from);

}  // namespace fabricast
