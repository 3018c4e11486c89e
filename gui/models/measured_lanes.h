#pragma once
#include "gui/charts/timeline.h"
#include "study/measured_trace.h"
#include "study/simulate.h"

#include <string>

namespace fabricast {

/// Adds the lanes of a measured step below those of the simulated one, from the same moment on.
void addMeasured(const MeasuredTrace& trace, TimelineValues& values);

/// How much longer the measured step is, and what of it is communication that nothing hides.
std::string measuredHeadline(const MeasuredTrace& trace, const Simulation& simulation);

}  // namespace fabricast
