#include "planner/report/check_reports.h"
#include "planner/report/check_words.h"
#include "planner/report/comparison_report.h"
#include "planner/report/note_line.h"
#include "planner/report/subject_words.h"
#include "planner/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// "2 of 5 requirements fail, 1 is unsure"; "all 5 requirements hold".
std::string summaryOf(const CheckReport& report) {
    const std::size_t all = report.requirements.size();
    const auto count = [&report](CheckVerdict verdict) {
        return std::ranges::count_if(report.requirements, [verdict](const CheckedRequirement& one) {
            return !one.isWarning() && one.verdict == verdict;
        });
    };
    const auto warnings =
        std::ranges::count_if(report.requirements, [](const CheckedRequirement& one) {
            return one.isWarning() && one.verdict != CheckVerdict::Holds;
        });
    std::string text;
    const auto add = [&text](auto number, std::string_view words) {
        if (number > 0) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, words);
        }
    };
    add(count(CheckVerdict::Fails), "failed");
    add(count(CheckVerdict::CannotTell), "unsure");
    add(warnings, warnings == 1 ? "warning" : "warnings");
    const char* noun = all == 1 ? "requirement" : "requirements";
    return text.empty() ? fmt::format("{} {} hold{}", all, noun, all == 1 ? "s" : "")
                        : fmt::format("{} {}: {}", all, noun, text);
}

Table requirementTable(const CheckReport& report) {
    Table table{.columns = {{"verdict"}, {"requirement"}, {"forecast"}, {"change"}, {"where"}},
                .rows = {},
                .isList = true};
    for (const CheckedRequirement& one : report.requirements) {
        const std::string change = changeText(one);
        table.rows.push_back({"  " + std::string(verdictWord(one)),
                              one.requirement.text,
                              valueText(one),
                              change.empty() ? "" : change + " vs baseline",
                              one.requirement.where});
    }
    return table;
}

/// The parts of the step or of the memory that changed most, as in a comparison.
std::string mostlyText(const Comparison& comparison) {
    const SideDifference& difference = comparison.differences.front();
    const std::string_view time = difference.time ? mainPart(*difference.time) : "";
    const std::string_view memory = mainPart(difference.memory);
    std::string text;
    if (!time.empty()) {
        text += fmt::format("  time: mostly {}\n", time);
    }
    if (!memory.empty()) {
        text += fmt::format("  memory: mostly {}\n", memory);
    }
    return text;
}

std::string becauseText(const CheckReport& report) {
    if (!report.comparison) {
        return {};
    }
    const std::string base = report.comparison->sides.front().source;
    if (report.changes.empty()) {
        return fmt::format("no input differs from {}\n", base);
    }
    std::string text = fmt::format("changed since {}:\n", base);
    for (const ChangedInput& change : report.changes) {
        text += "  " + changedText(change) + "\n";
    }
    return text + mostlyText(*report.comparison);
}

std::string fixesText(const CheckReport& report) {
    std::string text;
    for (const CheckFix& fix : report.fixes) {
        text += std::string(fixWord(fix)) + ": " + fixText(fix) + "\n";
    }
    return text;
}

std::string lockLine(const CheckReport& report) {
    const std::string text = sinceLockText(report);
    return text.empty() ? "" : "since the lock: " + text + "\n";
}

std::string baselineLines(const CheckReport& report) {
    std::string text;
    for (const std::string& line : sinceBaselineLines(report)) {
        text += line + "\n";
    }
    return text;
}

/// Requirements that say nothing of memory hold for what does not fit, too.
std::string memoryLine(const CheckReport& report) {
    const bool isAsked = std::ranges::any_of(
        report.requirements,
        [](const CheckedRequirement& one) { return one.requirement.metric == Metric::Fits; });
    if (isAsked || report.side.memory.verdict != Verdict::DoesNotFit) {
        return {};
    }
    return "it does not fit, and no requirement asks for that: --require fits\n";
}

/// What to do where the intervals do not tell, or something is missing.
std::string unsureText(const CheckReport& report) {
    if (report.verdict() != CheckVerdict::CannotTell) {
        return {};
    }
    const bool isWithin =
        std::ranges::any_of(report.requirements, [](const CheckedRequirement& one) {
            return !one.isWarning() && one.verdict == CheckVerdict::CannotTell && !isNotJudged(one);
        });
    const bool isLacking = std::ranges::any_of(report.requirements, &isNotJudged);
    return std::string(isLacking ? "unsure: a requirement lacks what stands beside it\n" : "") +
           (isWithin
                ? "unsure: the bound lies inside the forecast's interval; \"@ p50\" judges the "
                  "middle, --uncertain pass lets it pass\n"
                : "");
}

std::string outcomeLine(const CheckOutcome& outcome) {
    if (!outcome.report) {
        const Error& error = *outcome.error;
        return fmt::format("ERROR  {}  {}\n", outcome.source, error.text());
    }
    return fmt::format("{}  {}  {}\n",
                       verdictWord(outcome.report->verdict()),
                       outcome.source,
                       summaryOf(*outcome.report));
}

Report outcomeReport(const CheckOutcome& outcome) {
    if (!outcome.report) {
        return Report(outcomeLine(outcome));
    }
    const CheckReport& report = *outcome.report;
    Report answer(outcomeLine(outcome) + "  " + subjectText(report.side.scenario) + "\n");
    answer.add(requirementTable(report));
    if (const std::string more = memoryLine(report) + baselineLines(report) + lockLine(report);
        !more.empty()) {
        answer.add(more);
    }
    if (report.verdict() != CheckVerdict::Holds) {
        answer.add(becauseText(report) + fixesText(report) + unsureText(report));
    }
    for (const std::string& note : report.side.assumed) {
        answer.add(noteLine(note) + "\n");
    }
    return answer;
}

/// Of scenarios that hold: what is new, what they ask for no longer, and those whose forecast is
/// another one than the lock's, a line each.
std::string newsOf(const std::vector<const CheckOutcome*>& outcomes) {
    std::string text;
    for (const CheckOutcome* one : outcomes) {
        std::istringstream lines(baselineLines(*one->report) + lockLine(*one->report));
        for (std::string line; std::getline(lines, line);) {
            text += one->source + ": " + line + "\n";
        }
    }
    return text;
}

bool isGood(const CheckOutcome& outcome) {
    return outcome.report && outcome.report->verdict() == CheckVerdict::Holds;
}

/// "FAIL  2 of 200 scenarios fail, 1 unsure".
std::string totalText(const std::vector<CheckOutcome>& outcomes) {
    const CheckCount count = countOf(outcomes);
    std::string text;
    const auto add = [&text](int number, std::string_view words) {
        if (number > 0) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, words);
        }
    };
    add(count.failed, "failed");
    add(count.unsure, "unsure");
    add(count.errors, "could not be checked");
    const std::string_view word = count.errors > 0   ? "ERROR"
                                  : count.failed > 0 ? "FAIL"
                                  : count.unsure > 0 ? "unsure"
                                                     : "pass";
    return fmt::format(
        "{}  {} scenarios: {}\n", word, count.scenarios, text.empty() ? "all hold" : text);
}

/// Those with the worst news first.
std::vector<const CheckOutcome*> worstFirst(const std::vector<CheckOutcome>& outcomes) {
    std::vector<const CheckOutcome*> sorted;
    for (const CheckOutcome& one : outcomes) {
        sorted.push_back(&one);
    }
    std::ranges::stable_sort(sorted, {}, [](const CheckOutcome* one) {
        return one->report ? 3 - static_cast<int>(one->report->verdict()) : 0;
    });
    return sorted;
}

std::string cellText(std::string_view text) {
    std::string cell;
    for (const char letter : text) {
        cell += letter == '|' ? "\\|" : letter == '\n' ? " " : std::string(1, letter);
    }
    return cell;
}

std::string markdownOf(const CheckOutcome& outcome) {
    if (!outcome.report) {
        return fmt::format("**{}**: {}\n\n", outcome.source, cellText(outcome.error->text()));
    }
    const CheckReport& report = *outcome.report;
    std::string text = fmt::format(
        "**{}  {}**: {}\n\n", verdictWord(report.verdict()), report.source, summaryOf(report));
    Table table{.columns = {{"requirement"}, {"baseline"}, {"now"}, {"change"}, {"verdict"}},
                .rows = {}};
    for (const CheckedRequirement& one : report.requirements) {
        table.rows.push_back({cellText(one.requirement.text),
                              one.baseline ? metricText(one.requirement.metric, *one.baseline) : "",
                              cellText(valueText(one)),
                              changeText(one),
                              std::string(verdictWord(one))});
    }
    text += markdownText(table);
    std::string more = memoryLine(report) + baselineLines(report) + lockLine(report);
    if (report.verdict() != CheckVerdict::Holds) {
        more += becauseText(report) + fixesText(report);
    }
    return text + (more.empty()
                       ? "\n"
                       : "\n<details><summary>why, and what would mend it</summary>\n\n```\n" +
                             more + "```\n</details>\n\n");
}

}  // namespace

Report checkReport(const std::vector<CheckOutcome>& outcomes, CheckShow show) {
    if (outcomes.size() == 1) {
        return outcomeReport(outcomes.front());
    }
    Report report(totalText(outcomes));
    std::vector<const CheckOutcome*> unshown;
    for (const CheckOutcome* one : worstFirst(outcomes)) {
        if (show == CheckShow::All || !isGood(*one)) {
            report.add("\n").add(outcomeReport(*one));
        } else {
            unshown.push_back(one);
        }
    }
    if (const std::string news = newsOf(unshown); !news.empty()) {
        report.add("\n" + news);
    }
    return report;
}

std::string checkText(const std::vector<CheckOutcome>& outcomes, CheckShow show) {
    return reportText(checkReport(outcomes, show));
}

std::string checkMarkdown(const std::vector<CheckOutcome>& outcomes) {
    std::string text = "<!-- fabricast:check -->\n";
    if (outcomes.size() > 1) {
        text += totalText(outcomes) + "\n";
    }
    for (const CheckOutcome* one : worstFirst(outcomes)) {
        text += markdownOf(*one);
    }
    return text;
}

std::string checkCsv(const std::vector<CheckOutcome>& outcomes) {
    Table table{.columns = {{"scenario"},
                            {"requirement"},
                            {"level"},
                            {"verdict"},
                            {"value"},
                            {"lo"},
                            {"hi"},
                            {"bound"},
                            {"baseline"},
                            {"where"},
                            {"why"}},
                .rows = {}};
    const auto number = [](double value) { return fmt::format("{}", value); };
    for (const CheckOutcome& outcome : outcomes) {
        if (!outcome.report) {
            table.rows.push_back(
                {outcome.source, "", "error", "", "", "", "", "", "", "", outcome.error->text()});
            continue;
        }
        for (const CheckedRequirement& one : outcome.report->requirements) {
            table.rows.push_back({outcome.source,
                                  one.requirement.text,
                                  one.isWarning() ? "warning" : "error",
                                  std::string(nameOf(one.verdict)),
                                  one.value ? number(one.value->value) : "",
                                  one.value ? number(one.value->lo) : "",
                                  one.value ? number(one.value->hi) : "",
                                  one.value ? number(one.bound) : "",
                                  one.baseline ? number(*one.baseline) : "",
                                  one.requirement.where,
                                  one.why});
        }
        if (outcome.report->isNew) {
            table.rows.push_back({outcome.source,
                                  "",
                                  "note",
                                  "new",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  sinceBaselineLines(*outcome.report).front()});
        }
        for (const WeakerRequirement& one : outcome.report->weaker) {
            table.rows.push_back({outcome.source,
                                  one.before.text,
                                  "warning",
                                  "weaker",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  one.before.where,
                                  weakerText(one)});
        }
    }
    return csvText(table);
}

}  // namespace fabricast
