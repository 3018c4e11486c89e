#pragma once
#include "simulator/engine/simulate.h"

#include <string>

namespace fabricast {

/// A simulation for Perfetto or chrome://tracing (Trace Event Format): a process for each actor, a
/// thread for each of its streams, a slice for each op, and an arrow from what made a hand-over to
/// the hand-over.
std::string traceJson(const SimProgram& program, const SimRun& run);

}  // namespace fabricast
