#pragma once
#include "planner/base/units.h"
#include "planner/result/evidence.h"
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

/// Device memory that no allocator counter shows: the CUDA context with its loaded kernels, and the
/// buffers that NCCL holds for every communicator the layout needs.
struct RuntimeOverhead {
    Headline<Bytes> context;
    Headline<Bytes> collectives;
    std::int64_t communicators = 0;
};
RuntimeOverhead runtimeOverhead(const Scenario& scenario);

}  // namespace fabricast
