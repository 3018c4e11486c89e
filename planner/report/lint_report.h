#pragma once
#include "planner/report/finding_reports.h"
#include "planner/report/format.h"
#include "planner/result/lint_report.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// The rules of `lint` as a list: code, severity, what each finds and why that matters; as JSON
/// "fabricast.lint_rules/1".
std::string lintRulesText(std::span<const ListedRule> rules, Format format);

/// How many findings of each severity there are.
struct LintCount {
    int errors = 0;
    int warnings = 0;
    int notes = 0;
};
LintCount countOf(const std::vector<LintReport>& reports);

/// Each finding in two lines: where and what, then why and what to write.
///     ds.json:12:5: warning DS06: offload_param is set, and stage is 2
///         It is ignored: the parameters stay on the GPU. fix: "stage": 3
std::string lintText(const std::vector<LintReport>& reports);
/// The findings alone.
std::string findingsText(const LintReport& report);
std::string lintMarkdown(const std::vector<LintReport>& reports);
std::string lintCsv(const std::vector<LintReport>& reports);
/// "fabricast.lint/1".
std::string lintJson(const std::vector<LintReport>& reports, std::string_view version);
/// A test suite per file, a test case per finding, which fails where it is an error; one that
/// passes where nothing was found.
std::string lintJunit(const std::vector<LintReport>& reports);

/// For the forms of finding_reports.h: the errors of all files first.
std::vector<ReportedFinding> findingsOf(const std::vector<LintReport>& reports);

}  // namespace fabricast
