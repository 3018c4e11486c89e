#pragma once
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// Adds what `--why states` prints: the stack's bytes per parameter, times the parameters of each
/// stage, as the rules of thumb count them (no activations, nothing gathered, no buffers); and
/// `--why traffic`: what data parallel ranks reduce and gather in a step. For DeepSpeed also `--why
/// deepspeed_estimate`: what its own estimator would say.
void addStateTerms(const Scenario& scenario, MemoryBreakdown& memory);

}  // namespace fabricast
