#pragma once
#include "simulator/report/simulation.h"

#include <string>

namespace fabricast {

/// How long the runs took and their goodput, beside the closed form, and where the time went.
std::string runText(const RunAnswer& run);

}  // namespace fabricast
