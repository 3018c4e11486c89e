#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"
#include "study/question.h"
#include "study/workbench.h"

namespace fabricast {

/// Where a layout does not surely fit: why, and the changes that lower its peak. Those that make it
/// fit come first, then by what they cost: settings that are free, settings that cost time, another
/// division of the ranks, more hardware. `question` is the one that `scenario` was loaded from.
Result<MemoryBreakdown> withFixes(MemoryBreakdown memory,
                                  const Scenario& scenario,
                                  const Question& question,
                                  const Workbench& bench,
                                  const Watch& watch);

}  // namespace fabricast
