#include "planner/report/check_ci.h"

#include "planner/report/check_findings.h"
#include "planner/report/xml_escaped.h"
#include "planner/text/json_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string_view>

namespace fabricast {
namespace {

std::string_view levelWord(FindingLevel level) {
    return level == FindingLevel::Error ? "error" : "warning";
}

void addLocation(JsonText& json, const FilePlace& place) {
    json.beginArray("locations");
    json.beginObject();
    json.beginObject("physicalLocation");
    json.beginObject("artifactLocation");
    json.add("uri", place.file);
    json.end();
    json.beginObject("region");
    json.add("startLine", place.line);
    json.add("startColumn", place.column);
    json.end();
    json.end();
    json.end();
    json.end();
}

void addRules(JsonText& json, const std::vector<CheckFinding>& findings) {
    std::set<std::string> rules;
    for (const CheckFinding& finding : findings) {
        rules.insert(finding.rule);
    }
    json.beginArray("rules");
    for (const std::string& rule : rules) {
        json.beginObject();
        json.add("id", rule);
        json.beginObject("shortDescription");
        json.add("text", "requirement on " + rule);
        json.end();
        json.end();
    }
    json.end();
}

/// A number that stays the same while the finding does: FNV-1a of 64 bits.
std::string fingerprintOf(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char letter : text) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
    }
    return fmt::format("{:016x}", hash);
}

/// As the runner reads it: the data of a command, or one of its properties.
std::string commandEscaped(std::string_view text, bool isProperty) {
    std::string safe;
    for (const char letter : text) {
        const bool mark = isProperty && (letter == ':' || letter == ',');
        if (letter == '%' || letter == '\n' || letter == '\r' || mark) {
            safe += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
        } else {
            safe += letter;
        }
    }
    return safe;
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
        "skipped=\"{}\">\n{}  </testsuite>\n",
        xmlEscaped(outcome.source),
        outcome.report->requirements.size(),
        failed,
        skipped,
        cases);
}

}  // namespace

std::string checkSarif(const std::vector<CheckOutcome>& outcomes, std::string_view version) {
    const std::vector<CheckFinding> findings = findingsOf(outcomes);
    JsonText json;
    json.beginObject();
    json.add("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json.add("version", "2.1.0");
    json.beginArray("runs");
    json.beginObject();
    json.beginObject("tool");
    json.beginObject("driver");
    json.add("name", "fabricast");
    json.add("version", version);
    addRules(json, findings);
    json.end();
    json.end();
    json.beginArray("results");
    for (const CheckFinding& finding : findings) {
        json.beginObject();
        json.add("ruleId", finding.rule);
        json.add("level", levelWord(finding.level));
        json.beginObject("message");
        json.add("text", finding.message);
        json.end();
        addLocation(json, finding.place);
        json.end();
    }
    json.end();
    json.end();
    json.end();
    json.end();
    return std::move(json).finish();
}

std::string checkCodeQuality(const std::vector<CheckOutcome>& outcomes) {
    JsonText json;
    json.beginArray();
    std::set<std::string> seen;
    for (const CheckFinding& finding : findingsOf(outcomes)) {
        std::string key = finding.place.file + "\n" + finding.rule + "\n" +
                          std::to_string(finding.place.line) + ":" +
                          std::to_string(finding.place.column);
        while (!seen.insert(key).second) {
            key += "+";
        }
        json.beginObject();
        json.add("description", finding.message);
        json.add("check_name", finding.rule);
        json.add("fingerprint", fingerprintOf(key));
        json.add("severity", finding.level == FindingLevel::Error ? "major" : "minor");
        json.beginObject("location");
        json.add("path", finding.place.file);
        json.beginObject("lines");
        json.add("begin", finding.place.line);
        json.end();
        json.end();
        json.end();
    }
    json.end();
    return std::move(json).finish();
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
    constexpr std::size_t kMostShown = 10;
    const std::vector<CheckFinding> findings = findingsOf(outcomes);
    std::string text;
    const std::size_t shown = findings.size() <= kMostShown ? findings.size() : kMostShown - 1;
    for (std::size_t i = 0; i < shown; ++i) {
        const CheckFinding& one = findings[i];
        text += fmt::format("::{} file={},line={},col={},title={}::{}\n",
                            levelWord(one.level),
                            commandEscaped(one.place.file, true),
                            one.place.line,
                            one.place.column,
                            commandEscaped(one.rule, true),
                            commandEscaped(one.message, false));
    }
    if (shown < findings.size()) {
        text += fmt::format("::warning title=fabricast check::{} more findings are in the log\n",
                            findings.size() - shown);
    }
    return text;
}

}  // namespace fabricast
