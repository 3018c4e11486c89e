#pragma once
#include "planner/report/finding_reports.h"
#include "planner/report/report.h"
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

/// All that is to be reported, worst first: scenarios with errors, what fails, what nobody can
/// tell, warnings.
std::vector<ReportedFinding> findingsOf(const std::vector<CheckOutcome>& outcomes);

/// All of the answers: "fabricast.check/1".
std::string checkJson(const std::vector<CheckOutcome>& outcomes, std::string_view version);

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
