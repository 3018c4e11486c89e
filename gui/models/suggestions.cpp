#include "gui/models/suggestions.h"

#include "gui/models/edit_words.h"
#include "planner/base/quantity_text.h"
#include "planner/report/compared_words.h"
#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/memory_report.h"
#include "planner/report/surer_report.h"
#include "planner/report/table.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <tuple>
#include <utility>

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

Suggestion fixSuggestion(const PlanFix& fix, bool hasTargets) {
    return {.title = editWords(fix.edits),
            .effect = fixEffect(fix, hasTargets),
            .warning = fix.sideEffect,
            .group = groupTitle(fix.group),
            .edits = fix.edits};
}

/// What it needs of a server's memory or drives, where that decides and where it is there.
std::string conditionOf(const Fix& fix) {
    if (!fix.needs.empty()) {
        return " if a server has " + fix.needs;
    }
    return fix.hostAfter > HostNeed::kSurelyThere
               ? " with " + shortText(fix.hostAfter) + " of a server's memory"
               : "";
}

Suggestion memorySuggestion(const Fix& fix) {
    return {.title = editWords(fix.edits),
            .effect = std::string(fixText(fix.verdict)) + conditionOf(fix) + ": " +
                      shortText(fix.peakAfter),
            .warning = fix.sideEffect,
            .group = "less memory",
            .edits = fix.edits};
}

/// A change, and what decides how early it is offered: whether it is likely to fit, whether it is
/// to be bought, how surely it fits.
struct RankedChange {
    Suggestion change;
    std::tuple<bool, FixGroup, Verdict> rank;
};

std::tuple<bool, FixGroup, Verdict> rankOf(Verdict verdict, FixGroup group) {
    return {verdict >= Verdict::Unlikely, group, verdict};
}

/// Changes of the nearest layout that are not in the list yet.
void addMemoryFix(const Fix& fix, std::vector<RankedChange>& changes) {
    const auto same = std::ranges::find(
        changes, editWords(fix.edits), [](const RankedChange& one) { return one.change.title; });
    if (same != changes.end()) {
        return;
    }
    const bool isBought = std::ranges::any_of(
        fix.edits, [](const Edit& edit) { return edit.path.starts_with("cluster."); });
    changes.push_back(
        {memorySuggestion(fix), rankOf(fix.verdict, isBought ? FixGroup::Buy : FixGroup::Free)});
}

std::vector<RankedChange> changesToFit(const PlanReport& report) {
    std::vector<RankedChange> changes;
    if (report.fixes) {
        for (const PlanFix& fix : report.fixes->fixes) {
            changes.push_back({fixSuggestion(fix, false), rankOf(fix.outcome.verdict, fix.group)});
        }
    }
    if (!report.misses.empty()) {
        for (const Rejection& rejection : report.misses.front().memory.rejections) {
            for (const Fix& fix : rejection.fixes) {
                addMemoryFix(fix, changes);
            }
        }
    }
    std::ranges::stable_sort(changes, {}, &RankedChange::rank);
    return changes;
}

Suggestion fasterSuggestion(const FasterChange& faster, Seconds before) {
    return {.title = editWords(faster.edits),
            .effect = durationText(faster.step.value) + " a step, " +
                      comparedText(faster.step.value / before - 1.0) +
                      (faster.isClear ? "; " : " (within the error of a comparison); ") +
                      std::string(fixText(faster.verdict)),
            .warning = {},
            .group = "costs nothing",
            .edits = faster.edits};
}

Suggestion surerSuggestion(const SurerChange& surer) {
    return {.title = editWords(surer.edits),
            .effect = surerEffect(surer),
            .group = "costs nothing",
            .edits = surer.edits,
            .isSurer = true};
}

/// Nothing fits surely as it is, or what does is slower than with the change.
bool comesFirst(const SurerChange& surer, const PlanReport& report) {
    const Plan& best = report.plans.front();
    const Seconds now = report.faster ? report.faster->step.value : best.step.step.value;
    return best.memory.verdict != Verdict::Fits || surer.step.value < now;
}

}  // namespace

std::vector<Suggestion> suggestionsOf(const PlanFixes& fixes) {
    std::vector<const PlanFix*> sorted;
    for (const PlanFix& fix : fixes.fixes) {
        sorted.push_back(&fix);
    }
    if (!fixes.targets.empty()) {
        std::ranges::stable_partition(sorted, &PlanFix::reaches);
    }
    std::vector<Suggestion> suggestions;
    for (const PlanFix* fix : sorted) {
        suggestions.push_back(fixSuggestion(*fix, !fixes.targets.empty()));
    }
    return suggestions;
}

std::vector<Suggestion> suggestionsOf(const Explanation& explanation) {
    std::vector<Suggestion> suggestions;
    if (explanation.memory) {
        for (const Rejection& rejection : explanation.memory->rejections) {
            for (const Fix& fix : rejection.fixes) {
                suggestions.push_back(memorySuggestion(fix));
            }
        }
    }
    if (explanation.faster && explanation.step) {
        suggestions.push_back(fasterSuggestion(*explanation.faster, explanation.step->step.value));
    }
    return suggestions;
}

std::vector<Suggestion> suggestionsOf(const Explanation& explanation, const PlanReport& report) {
    std::vector<Suggestion> suggestions = suggestionsOf(explanation);
    if (report.surer && !report.plans.empty()) {
        Suggestion surer = surerSuggestion(*report.surer);
        std::erase_if(suggestions,
                      [&surer](const Suggestion& one) { return one.title == surer.title; });
        suggestions.insert(suggestions.begin(), std::move(surer));
    }
    return suggestions;
}

std::vector<Suggestion> suggestionsOf(const PlanReport& report) {
    std::vector<Suggestion> suggestions;
    if (report.plans.empty()) {
        return suggestions;
    }
    const bool isOver = report.plans.front().memory.verdict >= Verdict::Unlikely;
    if (report.faster && !isOver) {
        suggestions.push_back(
            fasterSuggestion(*report.faster, report.plans.front().step.step.value));
    }
    if (report.surer) {
        suggestions.insert(
            comesFirst(*report.surer, report) ? suggestions.begin() : suggestions.end(),
            surerSuggestion(*report.surer));
    }
    return suggestions;
}

std::string unfitText(const Explanation& explanation) {
    if (!explanation.memory || explanation.memory->verdict < Verdict::Unlikely) {
        return {};
    }
    const Verdict verdict = explanation.memory->verdict;
    return std::string("Layout A ") + (verdict == Verdict::Unlikely ? "is " : "") +
           std::string(fitText(verdict)) + ": these are the numbers of a run that had the room.";
}

std::string whyNoPlan(const PlanReport& report) {
    if (!report.refused || report.rejections.empty()) {
        return "Nothing fits.";
    }
    std::string why = report.rejections.front().why;
    why.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(why.front())));
    return why + ".";
}

std::vector<Suggestion> fitSuggestions(const PlanReport& report) {
    std::vector<Suggestion> suggestions;
    for (RankedChange& one : changesToFit(report)) {
        suggestions.push_back(std::move(one.change));
    }
    return suggestions;
}

Suggestion firstSuggestion(const PlanReport& report) {
    if (report.plans.empty()) {
        std::vector<RankedChange> changes = changesToFit(report);
        const bool helps = !changes.empty() && !std::get<bool>(changes.front().rank);
        return helps ? std::move(changes.front().change) : Suggestion();
    }
    if (report.fixes && !report.fixes->allMet()) {
        const std::vector<Suggestion> fixes = suggestionsOf(*report.fixes);
        return fixes.empty() ? Suggestion() : fixes.front();
    }
    const std::vector<Suggestion> changes = suggestionsOf(report);
    return changes.empty() ? Suggestion() : changes.front();
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
