#pragma once
#include "planner/result/explanation.h"
#include "planner/result/plan_report.h"

#include <string>
#include <vector>

namespace fabricast {

/// A change that helps, for a button that makes it.
struct Suggestion {
    std::string title{};    ///< "servers: 16"
    std::string effect{};   ///< "fits, 61.2 GiB", "14.1 s a step, 8.4 % less"
    std::string warning{};  ///< "another batch: other learning rate and convergence"
    std::string group{};    ///< "changes the training", "other hardware"
    std::vector<Edit> edits{};
    bool isSurer = false;  ///< nothing fits surely without it
};

/// What would make the search fit, or reach its targets: what does so before what comes nearer.
std::vector<Suggestion> suggestionsOf(const PlanFixes& fixes);

/// What would make one layout fit, or faster.
std::vector<Suggestion> suggestionsOf(const Explanation& explanation);
/// The same beside the search that it is of, with what makes any layout fit surely.
std::vector<Suggestion> suggestionsOf(const Explanation& explanation, const PlanReport& report);

/// The settings that cost nothing and with which a plan surely fits, or the best one is faster.
std::vector<Suggestion> suggestionsOf(const PlanReport& report);

/// The edits of a suggestion as a search is typed: a stack is one to search, a layout's key is
/// held.
std::vector<Edit> editsForPlan(const Suggestion& suggestion);

/// Why a search has no plan: "Nothing fits.", or what the software has not.
std::string whyNoPlan(const PlanReport& report);

/// Of a layout that does not fit, what its other numbers are of; else empty.
std::string unfitText(const Explanation& explanation);

/// What would make something fit, where nothing does: what fits and costs least first.
std::vector<Suggestion> fitSuggestions(const PlanReport& report);

/// The one change that is offered above all pages: nothing is an empty title.
Suggestion firstSuggestion(const PlanReport& report);

}  // namespace fabricast
