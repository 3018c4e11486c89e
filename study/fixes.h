#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"
#include "study/changes.h"
#include "study/find_changes.h"
#include "study/question.h"
#include "study/workbench.h"

#include <string>
#include <vector>

namespace fabricast {

/// Where a layout does not surely fit: why, and the changes that lower its peak. Those that make it
/// fit come first, then by what they cost: settings that are free, settings that cost time, another
/// division of the ranks, more hardware. `question` is the one that `scenario` was loaded from.
Result<MemoryBreakdown> withFixes(MemoryBreakdown memory,
                                  const Scenario& scenario,
                                  const Question& question,
                                  const Workbench& bench,
                                  const Watch& watch);

/// What surely fits before what likely does, and more hardware behind both; else as they are.
void putSurestFirst(std::vector<Fix>& fixes);

/// Changed questions that are judged for a check at most, alone, in pairs and in a chain each:
/// every try walks the memory of every stage.
inline constexpr int kMostTries = 64;

/// What is looked for, and with what.
struct FixesSought {
    const std::vector<Change>& undone;  ///< what takes back a change since the baseline
    const Catalogue& catalogue;
    const Judge& judge;
    const Watch& watch;
    ChangeSearch search{};
};

/// What mends a question: changes alone, in pairs, or one after another; what adds hardware adds
/// the least that is enough. What costs nothing comes first, then another training, then other
/// hardware, and each but once. `now` is the question's scenario.
Result<std::vector<TriedChange>> seekFixes(const Question& asked,
                                           const Scenario& now,
                                           FixesSought& sought);

/// Adds those that are not among the changes yet.
void addNew(std::vector<Change>& changes, std::vector<Change> more);

/// Other GPUs than `now` has, where no edit is of the cluster: nothing where that is not so.
std::string hardwareEffect(const TriedChange& tried, const Scenario& now);

}  // namespace fabricast
