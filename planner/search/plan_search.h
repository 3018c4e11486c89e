#pragma once
#include "planner/result/plan_report.h"
#include "planner/search/block_costs.h"
#include "planner/search/find_plans.h"
#include "planner/search/layout_forecast.h"
#include "planner/search/memory_bound.h"
#include "planner/search/time_bound.h"

#include <cstdint>
#include <map>
#include <queue>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {

/// This takes candidates in the order of a value that they cannot beat. What comes up is looked at
/// more closely and waits again, until what comes up is known: it is the best of all that are left.
///     PlanSearch(task, space, options, std::move(forecast)).run()
class PlanSearch {
public:
    PlanSearch(const SearchTask& task,
               const SearchSpace& space,
               const SearchOptions& options,
               LayoutForecast forecast);

    Result<PlanReport> run();

private:
    /// How closely a candidate has been looked at.
    enum class Look : std::uint8_t { Counted, Sampled, Bounded, Known };
    struct Waiting {
        double value = 0.0;
        std::uint32_t candidate = 0;
        Look look = Look::Counted;

        /// The smallest comes first; of equals the one that stands first in the space.
        friend bool operator<(const Waiting& a, const Waiting& b) {
            return a.value != b.value ? a.value > b.value : a.candidate > b.candidate;
        }
    };

    [[nodiscard]] bool leastMemory() const { return options_.objective == PlanObjective::Memory; }
    std::vector<bool> stacksThatRun();
    Result<void> fillQueue();
    void lookCloser(const Waiting& waiting);
    void look(const Waiting& waiting, const Scenario& scenario);
    void estimateNext();
    std::vector<Bytes> peaksOf(const std::vector<Estimated>& batch);
    void accept(std::uint32_t index);
    [[nodiscard]] bool surelyTooLarge(const Scenario& scenario) const;
    void findMisses();
    std::vector<std::uint32_t> smallest();
    void refuse(const Candidate& candidate, const std::string& why);
    void addRefusals();

    const SearchTask& task_;
    const SearchSpace& space_;
    SearchOptions options_;
    LayoutForecast forecast_;
    CandidateScenarios scenarios_;
    BlockCosts blocks_;
    MemoryBound memory_;
    TimeBound time_;
    std::int64_t capacity_;
    PlanReport report_;
    std::vector<std::int64_t> leastBytes_;
    std::priority_queue<Waiting> queue_;
    std::map<std::uint32_t, StepEstimate> known_;
    std::map<std::pair<std::uint32_t, std::string>, std::int64_t> refusals_;
};

}  // namespace fabricast
