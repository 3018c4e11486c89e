#pragma once
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"

#include <string>
#include <string_view>

namespace fabricast {

/// A "fabricast.explain/1" document: the verdict, what was asked, and every number in bytes.
///     .memory.peak_bytes.value   .memory.stages[0].activations_bytes   .scenario.layout.tp
std::string memoryJson(const Scenario& scenario,
                       const MemoryBreakdown& memory,
                       std::string_view version);

}  // namespace fabricast
