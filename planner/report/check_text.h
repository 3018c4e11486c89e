#pragma once
#include "planner/report/report.h"
#include "planner/result/check_report.h"

#include <string>
#include <vector>

namespace fabricast {

/// Which scenarios are shown in full; the others are a line each.
enum class CheckShow { Failed, All };

/// The answers for people, the worst news in the first line.
///     FAIL  run.json  1 of 3 requirements fails
Report checkReport(const std::vector<CheckOutcome>& outcomes, CheckShow show);
std::string checkText(const std::vector<CheckOutcome>& outcomes, CheckShow show);
/// A comment for a pull request. It begins with a mark by which the next run finds and replaces it.
std::string checkMarkdown(const std::vector<CheckOutcome>& outcomes);
/// A row per requirement.
std::string checkCsv(const std::vector<CheckOutcome>& outcomes);

}  // namespace fabricast
