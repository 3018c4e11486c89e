#pragma once
#include "planner/result/memory_breakdown.h"

#include <string>
#include <vector>

namespace fabricast {

/// What is live on a device while one action of its step runs, and after it.
struct MemoryMark {
    MemoryByKind high;   ///< at the peak, including what was live before
    std::string moment;  ///< "backward of layer 31"
    MemoryByKind after;
};

/// The live bytes of one rank through a step: requested bytes, as `StageMemory::requested`.
struct MemoryMarks {
    MemoryByKind rest;                ///< between steps
    std::vector<MemoryMark> actions;  ///< the rank's passes in its order, then the optimizer step
};

}  // namespace fabricast
