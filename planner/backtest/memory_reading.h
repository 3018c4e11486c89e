#pragma once
#include "planner/backtest/published_run.h"
#include "planner/result/backtest_result.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

/// What the row's memory was read from: its column memory_kind, or else its notes.
MemoryReading memoryReading(const PublishedRun& run);

/// The forecast of that reading on the rank with the highest peak, in bytes. Unknown readings
/// are compared with the memory of tensors.
Bytes forecastReading(const StageMemory& stage, MemoryReading reading);

/// Why a run took another amount of memory than its settings say, or empty: torchtune steps inside
/// backward, and splits the loss into chunks, in ways that are not modelled here.
std::string unknownMemory(const PublishedRun& run);

}  // namespace fabricast
