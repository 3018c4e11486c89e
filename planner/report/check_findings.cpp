#include "planner/report/check_reports.h"
#include "planner/report/check_words.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

/// Its own place; of one that was typed the first line that changed since the baseline.
FilePlace placeIn(const CheckReport& report, const CheckedRequirement& one) {
    const FilePlace own = placeOf(one.requirement.where, "");
    if (!own.file.empty()) {
        return own;
    }
    for (const ChangedInput& change : report.changes) {
        const FilePlace changed = placeOf(change.whereAfter, "");
        if (!changed.file.empty()) {
            return changed;
        }
    }
    return {.file = report.source};
}

ReportedFinding findingOf(const CheckReport& report, const CheckedRequirement& one) {
    return {.level = one.isWarning() || one.verdict == CheckVerdict::CannotTell
                         ? FindingLevel::Warning
                         : FindingLevel::Error,
            .rule = std::string(nameOf(one.requirement.metric).name),
            .message = explainedText(report, one),
            .place = placeIn(report, one)};
}

/// What stands in its place, or where the others stand.
FilePlace placeIn(const CheckReport& report, const WeakerRequirement& one) {
    if (one.now) {
        return placeOf(one.now->where, report.source);
    }
    for (const CheckedRequirement& other : report.requirements) {
        const FilePlace place = placeOf(other.requirement.where, "");
        if (!place.file.empty()) {
            return place;
        }
    }
    return {.file = report.source};
}

ReportedFinding findingOf(const CheckReport& report, const WeakerRequirement& one) {
    return {.level = FindingLevel::Warning,
            .rule = std::string(nameOf(one.before.metric).name),
            .message = "weaker: " + weakerText(one),
            .place = placeIn(report, one)};
}

}  // namespace

std::vector<ReportedFinding> findingsOf(const std::vector<CheckOutcome>& outcomes) {
    std::vector<std::pair<int, ReportedFinding>> ranked;
    for (const CheckOutcome& outcome : outcomes) {
        if (!outcome.report) {
            ranked.emplace_back(
                0,
                ReportedFinding{.level = FindingLevel::Error,
                                .rule = "scenario",
                                .message = outcome.error->text(),
                                .place = placeOf(outcome.error->where, outcome.source)});
            continue;
        }
        for (const CheckedRequirement& one : outcome.report->requirements) {
            if (one.verdict != CheckVerdict::Holds) {
                const int rank = one.isWarning() ? 3 : one.verdict == CheckVerdict::Fails ? 1 : 2;
                ranked.emplace_back(rank, findingOf(*outcome.report, one));
            }
        }
        const std::vector<std::string> news = sinceBaselineLines(*outcome.report);
        if (!news.empty() && news.front().starts_with("new:")) {
            ranked.emplace_back(4,
                                ReportedFinding{.level = FindingLevel::Note,
                                                .rule = "baseline",
                                                .message = news.front(),
                                                .place = {.file = outcome.report->source}});
        }
        for (const WeakerRequirement& one : outcome.report->weaker) {
            ranked.emplace_back(2, findingOf(*outcome.report, one));
        }
    }
    std::ranges::stable_sort(ranked, {}, &std::pair<int, ReportedFinding>::first);
    std::vector<ReportedFinding> findings;
    for (auto& [rank, finding] : ranked) {
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace fabricast
