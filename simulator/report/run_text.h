#pragma once
#include "simulator/report/simulation.h"

#include <string>

namespace fabricast {

/// The duration of the runs and their goodput, compared with the closed form, and where the time
/// went.
std::string runText(const RunAnswer& run);

}  // namespace fabricast
