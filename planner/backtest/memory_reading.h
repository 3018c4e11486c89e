#pragma once
#include "planner/backtest/published_run.h"
#include "planner/result/backtest_result.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

/// What the row's memory was read from: its column memory_kind, or what its notes say in passing.
MemoryReading memoryReading(const PublishedRun& run);

/// The forecast of that reading on the fullest rank, in bytes. What is not known to be anything
/// else is taken for what tensors take.
Bytes forecastReading(const StageMemory& stage, MemoryReading reading);

/// Why a run took another amount of memory than its settings say, or empty: torchtune steps inside
/// backward, and cuts the loss in chunks, in ways that nobody has modelled here.
std::string unknownMemory(const PublishedRun& run);

}  // namespace fabricast
