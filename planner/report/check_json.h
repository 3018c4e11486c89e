#pragma once
#include "planner/result/check_report.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// All of the answers: "fabricast.check/1".
std::string checkJson(const std::vector<CheckOutcome>& outcomes, std::string_view version);

}  // namespace fabricast
