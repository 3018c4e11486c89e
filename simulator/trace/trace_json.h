#pragma once
#include "simulator/engine/simulate.h"
#include "simulator/memory/memory_curve.h"

#include <string>
#include <vector>

namespace fabricast {

/// A simulation for Perfetto or chrome://tracing (Trace Event Format): a process for each actor, a
/// thread for each of its streams, a slice for each op, and an arrow from what made a stage
/// transfer to the transfer. The memory of actors that have a curve is a counter.
std::string traceJson(const SimProgram& program,
                      const SimRun& run,
                      const std::vector<MemoryCurve>& curves = {});

}  // namespace fabricast
