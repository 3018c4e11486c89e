#pragma once
#include "planner/io/json_text.h"
#include "planner/result/memory_breakdown.h"

namespace fabricast {

/// A change that would help, as an element of an array.
void writeFix(JsonText& json, const Fix& fix);

/// The member "memory" of an answer: every number in bytes.
///     .memory.peak_bytes.value   .memory.stages[0].activations_bytes
void writeMemory(JsonText& json, const MemoryBreakdown& memory);

}  // namespace fabricast
