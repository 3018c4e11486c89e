#pragma once
#include "simulator/report/simulation.h"

#include <string>

namespace fabricast {

/// The simulated step as SVG: the stages that have a memory curve.
std::string stepPicture(const Simulation& simulation);

}  // namespace fabricast
