#include "planner/report/check_reports.h"
#include "planner/report/check_words.h"
#include "planner/report/markup.h"

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string_view>

namespace fabricast {
namespace {

/// A rule per metric that is found fault with.
std::vector<ReportedRule> rulesOf(const std::vector<ReportedFinding>& findings) {
    std::set<std::string> names;
    for (const ReportedFinding& finding : findings) {
        names.insert(finding.rule);
    }
    std::vector<ReportedRule> rules;
    for (const std::string& name : names) {
        rules.push_back({.id = name, .text = "requirement on " + name});
    }
    return rules;
}

enum class CaseEnd : std::uint8_t { Passed, Skipped, Failed };

CaseEnd endOf(const CheckedRequirement& one, OnUnsure onUnsure) {
    if (one.verdict == CheckVerdict::Holds || one.isWarning()) {
        return CaseEnd::Passed;
    }
    const bool passes = one.verdict == CheckVerdict::CannotTell && onUnsure == OnUnsure::Pass;
    return passes && !isNotJudged(one) ? CaseEnd::Skipped : CaseEnd::Failed;
}

/// One requirement in JUnit.
std::string testCase(const CheckReport& report, const CheckedRequirement& one, CaseEnd end) {
    const std::string message = xmlEscaped(explainedText(report, one));
    const std::string start = fmt::format(R"(    <testcase classname="{}" name="{}">)",
                                          xmlEscaped(report.source),
                                          xmlEscaped(one.requirement.text));
    const std::string_view type = one.verdict == CheckVerdict::Fails ? "fails" : "unsure";
    const std::string body =
        end == CaseEnd::Passed ? "<system-out>" + message + "</system-out>"
        : end == CaseEnd::Skipped
            ? R"(<skipped message=")" + message + R"("/>)"
            : fmt::format(R"(<failure type="{}" message="{}"/>)", type, message);
    return start + body + "</testcase>\n";
}

/// What is new or no longer asked for, of the whole suite: no requirement of today says it.
std::string suiteOutput(const CheckReport& report) {
    std::string text;
    for (const std::string& line : sinceBaselineLines(report)) {
        text += "    <system-out>" + xmlEscaped(line) + "</system-out>\n";
    }
    return text;
}

std::string testSuite(const CheckOutcome& outcome, OnUnsure onUnsure) {
    if (!outcome.report) {
        return fmt::format(
            "  <testsuite name=\"{0}\" tests=\"1\" failures=\"0\" errors=\"1\">\n"
            "    <testcase classname=\"{0}\" name=\"scenario\"><error "
            "message=\"{1}\"/></testcase>\n"
            "  </testsuite>\n",
            xmlEscaped(outcome.source),
            xmlEscaped(outcome.error->text()));
    }
    std::size_t failed = 0;
    std::size_t skipped = 0;
    std::string cases;
    for (const CheckedRequirement& one : outcome.report->requirements) {
        const CaseEnd end = endOf(one, onUnsure);
        failed += end == CaseEnd::Failed ? 1U : 0U;
        skipped += end == CaseEnd::Skipped ? 1U : 0U;
        cases += testCase(*outcome.report, one, end);
    }
    return fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
        "skipped=\"{}\">\n{}{}  </testsuite>\n",
        xmlEscaped(outcome.source),
        outcome.report->requirements.size(),
        failed,
        skipped,
        cases,
        suiteOutput(*outcome.report));
}

}  // namespace

std::string checkSarif(const std::vector<CheckOutcome>& outcomes, std::string_view version) {
    const std::vector<ReportedFinding> findings = findingsOf(outcomes);
    return findingsSarif(findings, rulesOf(findings), version);
}

std::string checkCodeQuality(const std::vector<CheckOutcome>& outcomes) {
    return findingsCodeQuality(findingsOf(outcomes));
}

std::string checkJunit(const std::vector<CheckOutcome>& outcomes, OnUnsure onUnsure) {
    std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"fabricast check\">\n";
    for (const CheckOutcome& outcome : outcomes) {
        text += testSuite(outcome, onUnsure);
    }
    return text + "</testsuites>\n";
}

std::string checkAnnotations(const std::vector<CheckOutcome>& outcomes) {
    return findingsAnnotations(findingsOf(outcomes), "fabricast check");
}

}  // namespace fabricast
