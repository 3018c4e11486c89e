#pragma once
#include "planner/result/memory_breakdown.h"
#include "planner/result/oom_answer.h"

#include <vector>

namespace fabricast {

/// Whether a report has no tensors, but what all of PyTorch, or all of a GPU, holds.
bool isOfTotals(const MemoryMessage& message);
/// Its parts beside those of the forecast, which may be null.
std::vector<MemoryLayer> totalLayers(const MemoryMessage& message, const MemoryBreakdown* forecast);

/// What is PyTorch's and what is not of a message that does not tell them apart: its row goes
/// behind the others.
void addUntold(const MemoryMessage& message, std::vector<MemoryLayer>& layers);

}  // namespace fabricast
