#pragma once
#include "simulator/report/simulation.h"

#include <string>
#include <string_view>

namespace fabricast {

/// "fabricast.simulation/1"; "run" is there where runs were asked for. `wallSeconds` is what
/// answering took.
std::string simulationJson(const Simulation& simulation,
                           double wallSeconds,
                           std::string_view version);

}  // namespace fabricast
