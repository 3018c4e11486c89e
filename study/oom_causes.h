#pragma once
#include "planner/result/memory_breakdown.h"
#include "planner/result/oom_answer.h"
#include "planner/spec/scenario.h"

#include <optional>
#include <vector>

namespace fabricast {

/// Why an allocation failed, as far as the message tells; the scenario and its forecast may be
/// null.
std::vector<OomCause> causesOf(const MemoryMessage& message,
                               const Scenario* scenario,
                               const MemoryBreakdown* forecast);

/// Whether the allocator had as much as was missing, but in pieces.
bool isInPieces(const MemoryMessage& message);

/// What other processes hold. A display's or a monitor's few megabytes are rounding.
std::optional<Bytes> notableOthers(const MemoryMessage& message);

}  // namespace fabricast
