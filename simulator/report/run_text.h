#pragma once
#include "planner/report/report.h"
#include "simulator/report/simulation.h"

#include <string>

namespace fabricast {

/// The duration of the runs and their goodput, compared with the closed form, and where the time
/// went.
Report runReport(const RunAnswer& run);

}  // namespace fabricast
