#pragma once
#include "planner/memory/overheads.h"
#include "planner/result/memory_breakdown.h"

#include <vector>

namespace fabricast {

/// What the verdict compares with the GPU's memory, each with the numbers that it is made of: the
/// ends of the interval, all that an allocator takes where there is room, and what it cannot give
/// back. `usuallyHeld` is what runs hold beside the replay's finding.
std::vector<Term> verdictTerms(const MemoryBreakdown& memory,
                               const RuntimeOverhead& overhead,
                               Bytes usuallyHeld);

}  // namespace fabricast
