#pragma once
#include "planner/base/watch.h"
#include "planner/search/candidate_scenarios.h"
#include "planner/search/distinct_plans.h"
#include "planner/search/known_work.h"
#include "planner/search/search_space.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace fabricast {

/// A layout whose step is known and whose memory is not: the fastest comes up first.
struct TimedLayout {
    double value = 0.0;
    Candidate candidate;

    friend bool operator<(const TimedLayout& a, const TimedLayout& b) {
        return a.value != b.value ? a.value < b.value : a.candidate < b.candidate;
    }
};

/// This walks the memory of the layouts that will come up next on the threads that the one which
/// comes up leaves idle. What is found is kept with the search's work, so that the search takes the
/// same steps however many threads there are.
///     ahead.wait({seconds, candidate});
///     ahead.comesUp({seconds, candidate}, rows, room, watch);
class WalksAhead {
public:
    /// `work`: of each stack, for as long as this lives.
    WalksAhead(const SearchTask& task,
               const SearchSpace& space,
               const std::vector<BorrowedWork>& work,
               std::size_t threads);

    /// What a layout may take of the device at the most; nothing where it need not be walked.
    using Room = std::function<std::optional<Bytes>(const Candidate&, const Scenario&)>;

    void wait(const TimedLayout& layout);
    /// Walks it, and others for which `rows` has a place, unless it was walked before. What cannot
    /// be walked is left for the search to find out.
    void comesUp(const TimedLayout& layout,
                 const DistinctPlans& rows,
                 const Room& room,
                 const Watch& watch);

private:
    struct Walk {
        Candidate candidate;
        Bytes most;
    };
    /// What to walk now, the layout first: of those that need the same walk one.
    [[nodiscard]] std::vector<Walk> nextWalks(const TimedLayout& layout,
                                              const DistinctPlans& rows,
                                              const Room& room);
    [[nodiscard]] LayoutMemories& memoriesOf(const Candidate& candidate) const;

    const SearchSpace* space_;
    const std::vector<BorrowedWork>* work_;
    std::vector<CandidateScenarios> benches_;  ///< one per thread
    std::set<TimedLayout> waiting_;
};

}  // namespace fabricast
