#pragma once
#include "planner/report/check_words.h"
#include "planner/result/check_report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

enum class FindingLevel : std::uint8_t { Error, Warning };

/// What does not hold, as reports for other programs list it.
struct CheckFinding {
    FindingLevel level = FindingLevel::Error;
    std::string rule;     ///< the metric; "scenario" where it could not be checked
    std::string message;  ///< in one line
    FilePlace place;
};

/// All that is to be reported, worst first: scenarios with errors, what fails, what nobody can
/// tell, warnings.
std::vector<CheckFinding> findingsOf(const std::vector<CheckOutcome>& outcomes);

}  // namespace fabricast
