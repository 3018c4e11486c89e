#pragma once
#include "planner/memory/overheads.h"
#include "planner/result/memory_breakdown.h"

#include <string>
#include <vector>

namespace fabricast {

/// What the verdict compares with the GPU's memory, each with the numbers that it is made of: the
/// ends of the interval, all that an allocator takes where there is room, and what it cannot give
/// back. `usuallyHeld` is what runs hold beside the replay's finding.
std::vector<Term> verdictTerms(const MemoryBreakdown& memory,
                               const RuntimeOverhead& overhead,
                               Bytes usuallyHeld);

/// What the allocator leaves in pieces jumps between sizes that lie side by side, and the verdict
/// is by one replay. Where what published runs left would be judged otherwise this says so: where
/// it fits, by the most that they left; where it is unlikely to, by what they usually did. Empty:
/// the verdict does not hang on it.
std::string luckNote(const MemoryBreakdown& memory, const RuntimeOverhead& overhead);

}  // namespace fabricast
