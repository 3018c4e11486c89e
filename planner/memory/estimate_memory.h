#pragma once
#include "planner/base/result.h"
#include "planner/memory/fixes.h"
#include "planner/memory/walk_stage.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// Peak memory of every pipeline stage, and whether the fullest fits.
///     FABRICAST_ASSIGN(const MemoryBreakdown memory, estimateMemory(scenario));
///     if (memory.verdict == Verdict::DoesNotFit) { … memory.rejections … }
/// `allowed` says what the stack accepts: only such changes are suggested when it does not fit.
Result<MemoryBreakdown> estimateMemory(const Scenario& scenario, const Allowed& allowed = {});

/// The same without rejections, which take many times as long.
Result<MemoryBreakdown> judgeMemory(const Scenario& scenario);

/// The same peak and verdict from the stages of which one is the fullest, without what the others
/// are made of: for a search. It stops at the first stage whose tensors alone pass `most`.
Result<MemoryBreakdown> judgeFullest(const Scenario& scenario, Bytes most = kNoLimit);

}  // namespace fabricast
