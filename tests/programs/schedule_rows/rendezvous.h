#pragma once
#include "planner/base/result.h"
#include "planner/schedule/comm_program.h"
#include "planner/schedule/pipeline_span.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fabricast {

/// Runs communication programs as their libraries do: a transfer starts when both sides have
/// posted it and takes `handOver`, regardless of other work; a call ends with the last of its
/// transfers; a wait ends with what it waits for. An error names the rank and the call that never
/// ends. Times are in ticks, by timeIndex.
Result<PipelineSpan<std::int64_t>> replay(const CommProgram& program,
                                          std::span<const std::int64_t> passes,
                                          std::int64_t handOver);

}  // namespace fabricast
