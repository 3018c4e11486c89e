#pragma once
#include "planner/report/table.h"
#include "planner/result/machine_fit.h"
#include "planner/text/json_text.h"

#include <string>
#include <vector>

namespace fabricast {

/// What the fits of machines found, for people: a line per GPU, then its factors.
std::string machineFitText(const std::vector<MachineFit>& fits);
/// An array "fits".
void addMachineFits(JsonText& json, const std::vector<MachineFit>& fits);

}  // namespace fabricast
