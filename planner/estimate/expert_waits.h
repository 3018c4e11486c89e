#pragma once
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

/// Says of experts in a pipeline that their all-to-alls are counted as exposed; empty where they
/// are not, or there are none.
std::string expertWaitsNote(const Scenario& scenario);

}  // namespace fabricast
