#pragma once
#include "planner/report/report.h"
#include "simulator/report/simulation.h"

#include <string>

namespace fabricast {

/// A screen: the step compared with its forecast, what its critical path is made of, and what the
/// stages are busy with.
Report simulationReport(const Simulation& simulation);

}  // namespace fabricast
