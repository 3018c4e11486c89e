#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"
#include "study/find_changes.h"
#include "study/question.h"
#include "study/workbench.h"

#include <optional>
#include <vector>

namespace fabricast {

/// Tries what lowers the peak of one layout, or what it needs of the host. Keeps references to all
/// that it is made of.
class MemoryFixSearch {
public:
    MemoryFixSearch(const MemoryBreakdown& memory,
                    const Scenario& scenario,
                    const Workbench& bench,
                    const Watch& watch);

    Result<std::vector<TriedChange>> singles(const Question& question);
    /// A change that is not enough, with others.
    Result<std::optional<TriedChange>> combined(const Question& question, const TriedChange& first);
    /// Another training, each with what makes it fit that does not change it further.
    Result<std::vector<TriedChange>> trainings(const Question& question);

private:
    /// The same on the GPUs that there are: whatever the allocator holds, or else if it holds
    /// little.
    Result<std::optional<TriedChange>> onTheseGpus(const Question& question,
                                                   const TriedChange& first);
    /// Takes back the changes behind the first that it surely fits without.
    Result<void> dropNeedless(const Question& question, TriedChange& made) const;
    [[nodiscard]] Judge judge() const;
    [[nodiscard]] Result<Judgement> judged(const Question& changed, double enough) const;
    [[nodiscard]] Result<Judgement> judgedSurely(const Question& changed) const;

    const MemoryBreakdown& memory_;
    const Scenario& scenario_;
    const Workbench& bench_;
    const Watch& watch_;
    ChangeSearch search_;
};

}  // namespace fabricast
