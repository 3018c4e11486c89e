#include "planner/base/enum_names.h"
#include "planner/base/words.h"
#include "planner/report/begin_answer.h"
#include "planner/report/lint_report.h"
#include "planner/report/markup.h"
#include "planner/report/memory_report.h"
#include "planner/report/table.h"
#include "planner/result/memory_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

std::string adviceOf(const LintFinding& finding) {
    return finding.why + (finding.fix.empty() ? "" : " Fix: " + finding.fix);
}

std::string countedWord(int count, const char* one) {
    return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

std::string lintSummary(const LintReport& report) {
    const LintCount count = countOf({report});
    const bool isNotLookedAt = report.isNotLookedAt && report.findings.size() == 1;
    const bool isForecast = report.notForecast.empty();
    std::string text = report.findings.empty() ? (isForecast ? "ok" : "keys ok")
                       : isNotLookedAt         ? "not looked at"
                                               : countedWord(count.errors, "error") + ", " +
                                             countedWord(count.warnings, "warning") + ", " +
                                             countedWord(count.notes, "note");
    text += "  " + report.file;
    for (std::size_t i = 1; i < report.reads.size(); ++i) {  // the first is the file itself
        text += " with " + report.reads[i];
    }
    return text + "\n";
}

std::string lintForecast(const LintReport& report) {
    const bool isFound = std::ranges::any_of(report.findings, [](const LintFinding& one) {
        return one.code == "FL03" || one.code == "FL06";
    });
    if (!report.notForecast.empty()) {
        return isFound ? "" : "not forecast: " + report.notForecast + "\n";
    }
    return (report.verdict ? std::string(verdictWord(*report.verdict)) + "  " : "") +
           report.subject + "\n";
}

Table findingTable(const std::vector<LintReport>& reports) {
    Table table{.columns = {{"where"}, {"severity"}, {"code"}, {"what"}, {"why"}, {"fix"}},
                .rows = {}};
    for (const LintReport& report : reports) {
        for (const LintFinding& one : report.findings) {
            table.rows.push_back({one.where,
                                  std::string(nameOf(one.severity)),
                                  one.code,
                                  one.what,
                                  one.why,
                                  one.fix});
        }
        if (!report.notForecast.empty()) {
            table.rows.push_back(
                {report.file, "note", "", "not forecast: " + report.notForecast, "", ""});
        }
    }
    return table;
}

void addLintFinding(JsonText& json, const LintFinding& one) {
    json.beginObject();
    json.add("code", one.code);
    json.add("severity", nameOf(one.severity));
    json.add("where", one.where);
    json.add("what", one.what);
    json.add("why", one.why);
    json.add("fix", one.fix);
    json.end();
}

std::string junitSuite(const LintReport& report) {
    const LintCount count = countOf({report});
    std::string cases;
    for (const LintFinding& one : report.findings) {
        const std::string message = xmlEscaped(one.what + ". " + adviceOf(one));
        const std::string body = one.severity == LintSeverity::Error
                                     ? R"(<failure type="error" message=")" + message + R"("/>)"
                                     : "<system-out>" + message + "</system-out>";
        cases += fmt::format("    <testcase classname=\"{}\" name=\"{} {}\">{}</testcase>\n",
                             xmlEscaped(report.file),
                             one.code,
                             xmlEscaped(one.where),
                             body);
    }
    if (report.findings.empty()) {
        cases = fmt::format("    <testcase classname=\"{}\" name=\"lint\"></testcase>\n",
                            xmlEscaped(report.file));
    }
    return fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\">\n{}  </testsuite>\n",
        xmlEscaped(report.file),
        std::max<std::size_t>(1, report.findings.size()),
        count.errors,
        cases);
}

FindingLevel levelFor(LintSeverity severity) {
    switch (severity) {
        case LintSeverity::Error:
            return FindingLevel::Error;
        case LintSeverity::Warning:
            return FindingLevel::Warning;
        case LintSeverity::Note:
            break;
    }
    return FindingLevel::Note;
}

}  // namespace

LintCount countOf(const std::vector<LintReport>& reports) {
    LintCount count;
    for (const LintReport& report : reports) {
        for (const LintFinding& one : report.findings) {
            count.errors += one.severity == LintSeverity::Error ? 1 : 0;
            count.warnings += one.severity == LintSeverity::Warning ? 1 : 0;
            count.notes += one.severity == LintSeverity::Note ? 1 : 0;
        }
    }
    return count;
}

std::string findingsText(const LintReport& report) {
    std::string text;
    for (const LintFinding& one : report.findings) {
        text += fmt::format("{}: {} {}: {}\n    {}\n",
                            one.where,
                            nameOf(one.severity),
                            one.code,
                            one.what,
                            adviceOf(one));
    }
    return text;
}

std::string lintText(const std::vector<LintReport>& reports) {
    std::string text;
    for (const LintReport& report : reports) {
        text += (text.empty() ? "" : "\n") + lintSummary(report) + findingsText(report) +
                lintForecast(report);
    }
    return text;
}

std::string lintMarkdown(const std::vector<LintReport>& reports) {
    return markdownText(findingTable(reports));
}

std::string lintCsv(const std::vector<LintReport>& reports) {
    return csvText(findingTable(reports));
}

std::string lintJson(const std::vector<LintReport>& reports, std::string_view version) {
    JsonText json;
    beginAnswer(json, "fabricast.lint/1", version);
    json.beginArray("files");
    for (const LintReport& report : reports) {
        json.beginObject();
        json.add("file", report.file);
        json.add("reads", report.reads);
        if (report.verdict) {
            json.add("verdict", nameOf(*report.verdict));
        } else {
            json.addNull("verdict", report.notForecast);
        }
        json.beginArray("findings");
        for (const LintFinding& one : report.findings) {
            addLintFinding(json, one);
        }
        json.end();
        json.end();
    }
    json.end();
    json.end();
    return std::move(json).finish();
}

std::string lintJunit(const std::vector<LintReport>& reports) {
    std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"fabricast lint\">\n";
    for (const LintReport& report : reports) {
        text += junitSuite(report);
    }
    return text + "</testsuites>\n";
}

std::vector<ReportedFinding> findingsOf(const std::vector<LintReport>& reports) {
    std::vector<ReportedFinding> findings;
    for (const LintReport& report : reports) {
        for (const LintFinding& one : report.findings) {
            findings.push_back({.level = levelFor(one.severity),
                                .rule = one.code,
                                .message = one.what + ". " + adviceOf(one),
                                .place = placeOf(one.where, report.file)});
        }
    }
    std::ranges::stable_sort(findings, {}, &ReportedFinding::level);
    return findings;
}

}  // namespace fabricast
