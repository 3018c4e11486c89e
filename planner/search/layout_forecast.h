#pragma once
#include "planner/estimate/step_estimator.h"
#include "planner/search/block_costs.h"
#include "planner/search/search_space.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fabricast {

/// Estimates the steps of many candidates, each thread with an estimator of its own.
class LayoutForecast {
public:
    static Result<LayoutForecast> make(const SearchTask& task,
                                       const SearchSpace& space,
                                       const TimingProfiles& profiles,
                                       std::size_t threads);

    [[nodiscard]] const StepEstimator& estimator() const { return benches_.front().estimator; }
    /// In the order of `candidates`.
    std::vector<Result<StepEstimate>> steps(std::span<const std::uint32_t> candidates,
                                            const BlockCosts& blocks);

private:
    /// What one thread works with.
    struct Bench {
        StepEstimator estimator;
        Scenario scratch;
    };

    LayoutForecast(const SearchTask& task, const SearchSpace& space, std::vector<Bench> benches)
        : task_(&task), space_(&space), benches_(std::move(benches)) {}
    Result<StepEstimate> stepOf(Bench& bench, const Candidate& candidate, const BlockCosts& blocks);

    const SearchTask* task_;
    const SearchSpace* space_;
    std::vector<Bench> benches_;
};

}  // namespace fabricast
