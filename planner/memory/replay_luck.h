#pragma once
#include "planner/memory/overheads.h"
#include "planner/result/memory_breakdown.h"

#include <string>

namespace fabricast {

/// What the allocator leaves in pieces jumps between sizes that lie side by side, and the verdict
/// is by one replay. Where what published runs left would be judged otherwise this says so: where
/// it fits, by the most that they left; where it is unlikely to, by what they usually did. Empty:
/// the verdict does not hang on it.
std::string luckNote(const MemoryBreakdown& memory, const RuntimeOverhead& overhead);

}  // namespace fabricast
