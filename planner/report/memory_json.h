#pragma once
#include "planner/result/memory_breakdown.h"
#include "planner/text/json_text.h"

#include <functional>

namespace fabricast {

/// A change that would help, as an element of an array.
void writeFix(JsonText& json, const Fix& fix);

/// The member "host_per_node": what is needed, what is there, and whether that is enough.
void writeHost(JsonText& json, const MemoryBreakdown& memory);

/// The member "memory" of an answer: every number in bytes.
///     .memory.peak_bytes.value   .memory.stages[0].activations_bytes
/// `more` adds members to a stage.
using AddToStage = std::function<void(JsonText&, const StageMemory&)>;
void writeMemory(JsonText& json, const MemoryBreakdown& memory, const AddToStage& more = {});

}  // namespace fabricast
