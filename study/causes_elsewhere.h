#pragma once
#include "planner/result/memory_breakdown.h"
#include "planner/result/oom_answer.h"

#include <vector>

namespace fabricast {

/// What ran out outside PyTorch's allocator, whose messages say no size. The forecast may be null.
std::vector<OomCause> causesElsewhere(const MemoryMessage& message,
                                      const MemoryBreakdown* forecast);

/// What shows the processes of a GPU that PyTorch runs on so: "nvidia-smi".
std::string_view processListOf(MemoryMessage::Runtime runtime);

}  // namespace fabricast
