#pragma once
#include "simulator/report/simulation.h"

#include <string>

namespace fabricast {

/// A screen: the step compared with its forecast, what its critical path is made of, and what the
/// stages are busy with.
std::string simulationText(const Simulation& simulation);

}  // namespace fabricast
