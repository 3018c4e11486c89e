#include "gui/models/suggestions.h"

#include "gui/models/edit_words.h"
#include "planner/base/quantity_text.h"
#include "planner/report/compared_words.h"
#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/memory_report.h"
#include "planner/report/table.h"

#include <cmath>

namespace fabricast {
namespace {

const char* groupTitle(FixGroup group) {
    switch (group) {
        case FixGroup::Free:
            return "changes settings or software";
        case FixGroup::Workload:
            return "changes the training";
        case FixGroup::Buy:
            break;
    }
    return "other hardware";
}

/// What a change is for the targets; where only to fit was wanted, how surely it does.
std::string reachWords(const PlanFix& fix, bool hasTargets) {
    if (fix.reaches) {
        return hasTargets ? "enough" : "fits";
    }
    return hasTargets ? "nearer" : std::string(fitText(fix.outcome.verdict));
}

std::string fixEffect(const PlanFix& fix, bool hasTargets) {
    if (fix.outcome.verdict == Verdict::DoesNotFit) {
        return "nearer, but " + std::string(fitText(fix.outcome.verdict)) + ": " +
               shortText(fix.outcome.peak);
    }
    std::string text = reachWords(fix, hasTargets) + ": " + durationText(fix.outcome.step) +
                       " a step, " + grouped(std::llround(fix.tokensPerSecond)) + " tokens/s, " +
                       shortText(fix.outcome.peak) + " on " + grouped(fix.gpus) + " GPUs";
    if (fix.usdPerMtok) {
        text += ", " + dollarText(*fix.usdPerMtok) + " for 1M tokens";
    }
    return text;
}

Suggestion fasterSuggestion(const FasterChange& faster, Seconds before) {
    return {.title = editWords(faster.edits),
            .effect = durationText(faster.step.value) + " a step, " +
                      comparedText(faster.step.value / before - 1.0) + "; " +
                      std::string(fixText(faster.verdict)),
            .warning = {},
            .group = "costs nothing",
            .edits = faster.edits};
}

}  // namespace

std::vector<Suggestion> suggestionsOf(const PlanFixes& fixes) {
    std::vector<Suggestion> suggestions;
    for (const PlanFix& fix : fixes.fixes) {
        suggestions.push_back({.title = editWords(fix.edits),
                               .effect = fixEffect(fix, !fixes.targets.empty()),
                               .warning = fix.sideEffect,
                               .group = groupTitle(fix.group),
                               .edits = fix.edits});
    }
    return suggestions;
}

std::vector<Suggestion> suggestionsOf(const Explanation& explanation) {
    std::vector<Suggestion> suggestions;
    if (explanation.memory) {
        for (const Rejection& rejection : explanation.memory->rejections) {
            for (const Fix& fix : rejection.fixes) {
                suggestions.push_back(
                    {.title = editWords(fix.edits),
                     .effect = std::string(fixText(fix.verdict)) + ": " + shortText(fix.peakAfter),
                     .warning = fix.sideEffect,
                     .group = "less memory",
                     .edits = fix.edits});
            }
        }
    }
    if (explanation.faster && explanation.step) {
        suggestions.push_back(fasterSuggestion(*explanation.faster, explanation.step->step.value));
    }
    return suggestions;
}

std::vector<Suggestion> suggestionsOf(const PlanReport& report) {
    std::vector<Suggestion> suggestions;
    if (report.faster && !report.plans.empty()) {
        suggestions.push_back(
            fasterSuggestion(*report.faster, report.plans.front().step.step.value));
    }
    return suggestions;
}

Suggestion firstSuggestion(const PlanReport& report) {
    if (report.fixes && !report.fixes->allMet()) {
        const std::vector<Suggestion> fixes = suggestionsOf(*report.fixes);
        return fixes.empty() ? Suggestion() : fixes.front();
    }
    if (report.plans.empty() && report.fixes && !report.fixes->fixes.empty()) {
        return suggestionsOf(*report.fixes).front();
    }
    const std::vector<Suggestion> faster = suggestionsOf(report);
    return faster.empty() ? Suggestion() : faster.front();
}

std::vector<Edit> editsForPlan(const Suggestion& suggestion) {
    std::vector<Edit> edits = suggestion.edits;
    for (Edit& edit : edits) {
        if (edit.path == "stack") {
            edit = {"search.stacks", edit.value, "--stack"};
        } else if (edit.path.starts_with("layout.")) {
            edit.origin = "--fix";
        }
    }
    return edits;
}

}  // namespace fabricast
