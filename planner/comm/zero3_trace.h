#pragma once
#include "planner/comm/module_weights.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabricast {

/// A module is entered or left, in forward, backward, or forward again inside backward.
struct ModuleEvent {
    bool enter = true;
    std::size_t module = 0;
    CommPhase phase = CommPhase::Forward;
};

/// The events of one forward and backward as DeepSpeed's hooks see them. Checkpointed layers are
/// computed again when backward reaches their last product, and no further than that.
std::vector<ModuleEvent> moduleTrace(const ModelWeights& model, bool recomputes);

}  // namespace fabricast
