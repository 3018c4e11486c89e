#pragma once
#include "planner/estimate/step_estimator.h"
#include "planner/result/plan_report.h"
#include "planner/search/candidate_scenarios.h"
#include "planner/search/search_space.h"

#include <cstddef>
#include <span>
#include <vector>

namespace fabricast {

/// A candidate to be timed, with the times of its blocks.
struct Estimated {
    Candidate candidate;
    const ModelTime* blocks = nullptr;
};

/// Times the steps of many candidates, each thread with an estimator of its own.
class LayoutForecast {
public:
    static Result<LayoutForecast> make(const SearchTask& task,
                                       const SearchSpace& space,
                                       const TimingProfiles& profiles,
                                       std::size_t threads);

    [[nodiscard]] StepEstimator& estimator() { return benches_.front().estimator; }
    /// In the order of `candidates`; what a stop leaves out says so.
    std::vector<Result<double>> seconds(std::span<const Estimated> candidates,
                                        const Watch& watch = {});

private:
    /// What one thread works with.
    struct Bench {
        StepEstimator estimator;
        CandidateScenarios scenarios;
    };

    explicit LayoutForecast(std::vector<Bench> benches) : benches_(std::move(benches)) {}

    std::vector<Bench> benches_;
};

}  // namespace fabricast
