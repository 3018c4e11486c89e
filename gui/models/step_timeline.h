#pragma once
#include "gui/charts/timeline.h"
#include "simulator/report/simulation.h"

#include <string>

namespace fabricast {

/// A simulated step as lanes: of each stage its kernels and each kind of communication that it has;
/// arrows between stages; below them the memory over time.
TimelineValues stepTimeline(const Simulation& simulation);

/// How long the simulated step takes, and how far that is from the forecast.
std::string timelineHeadline(const Simulation& simulation);

}  // namespace fabricast
