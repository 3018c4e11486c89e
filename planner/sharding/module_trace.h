#pragma once
#include "planner/sharding/model_modules.h"

#include <cstddef>
#include <vector>

namespace fabricast {

/// Which part of a step runs: `Recompute` is forward again, inside backward.
enum class TracePass { Forward, Recompute, Backward };

/// A module is entered or left.
struct ModuleEvent {
    bool enter = true;
    std::size_t module = 0;
    TracePass pass = TracePass::Forward;
};

/// One forward and backward as DeepSpeed's hooks see it. `own`: the weights that are each module's
/// own, by their place in the order of registration.
struct ModuleTrace {
    std::vector<std::vector<std::size_t>> own;
    std::vector<ModuleEvent> events;
};

/// Checkpointed layers are computed again when backward reaches their last product, and no further
/// than that.
ModuleTrace moduleTrace(const ModelWeights& model, bool recomputes);

}  // namespace fabricast
