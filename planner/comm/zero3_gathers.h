#pragma once
#include "planner/comm/zero3_trace.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// Sizes in elements, as in DeepSpeed's configuration.
struct Zero3Gathering {
    std::int64_t ranks = 1;
    std::int64_t microBatches = 1;
    std::int64_t prefetchBucket = 50'000'000;
    std::int64_t persistenceThreshold = 100'000;
    std::int64_t maxLive = 1'000'000'000;
    std::int64_t maxReuse = 1'000'000'000;
};

/// One all-gather of one or several weights, padded to the ranks.
struct Zero3Gather {
    std::int64_t elements = 0;
    CommPhase phase = CommPhase::Forward;
};

/// This is what DeepSpeed's parameter coordinator gathers in a steady step: what a module lacks
/// when it is entered, and ahead of it the next weights of the trace. A weight is freed when its
/// module is left, unless the trace comes back to it soon; that is decided once for each place of
/// the trace and remembered, so the first passes are part of what later ones do.
struct Zero3Step {
    std::vector<Zero3Gather> first;  ///< the first micro-batch
    std::vector<Zero3Gather> other;  ///< each of the others
};
Zero3Step zero3Step(const ModelWeights& model,
                    const std::vector<ModuleEvent>& trace,
                    const Zero3Gathering& options);

}  // namespace fabricast
