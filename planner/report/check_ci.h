#pragma once
#include "planner/result/check_report.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

// Reports of a check in the forms that other programs read.

/// For tools that show findings beside the code: SARIF 2.1.0, a rule per metric.
std::string checkSarif(const std::vector<CheckOutcome>& outcomes, std::string_view version);
/// For GitLab's merge requests: its code quality report.
std::string checkCodeQuality(const std::vector<CheckOutcome>& outcomes);
/// What becomes of a requirement of which nobody can tell.
enum class OnUnsure : std::uint8_t { Fail, Pass };
/// A test suite per scenario, a test case per requirement; one that is unsure and passes is
/// "skipped".
std::string checkJunit(const std::vector<CheckOutcome>& outcomes, OnUnsure onUnsure);
/// Commands that GitHub's runner turns into annotations: ten at most, as it shows no more.
std::string checkAnnotations(const std::vector<CheckOutcome>& outcomes);

}  // namespace fabricast
