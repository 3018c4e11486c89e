#include "planner/search/layout_forecast.h"

#include "planner/base/parallel_map.h"

#include <algorithm>
#include <utility>

namespace fabricast {

Result<LayoutForecast> LayoutForecast::make(const SearchTask& task,
                                            const SearchSpace& space,
                                            const TimingProfiles& profiles,
                                            std::size_t threads) {
    std::vector<Bench> benches;
    for (std::size_t i = 0; i < std::max<std::size_t>(1, threads); ++i) {
        FABRICAST_ASSIGN(StepEstimator estimator, StepEstimator::make(task.base.cluster, profiles));
        benches.push_back({std::move(estimator), CandidateScenarios(task, space)});
    }
    return LayoutForecast(std::move(benches));
}

std::vector<Result<double>> LayoutForecast::seconds(std::span<const Estimated> candidates,
                                                    const Watch& watch) {
    std::vector<std::size_t> places(std::min(benches_.size(), candidates.size()));
    std::vector<Result<double>> found(candidates.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i] = i;
    }
    // Each bench takes every so many of the candidates: none is used by two threads.
    const auto work = [&](std::size_t place) {
        Bench& bench = benches_[place];
        for (std::size_t i = place; i < candidates.size(); i += places.size()) {
            if (const Result<void> goesOn = watch.check(); !goesOn) {
                found[i] = tl::unexpected(goesOn.error());
                continue;
            }
            const Result<const Scenario*> scenario = bench.scenarios.of(candidates[i].candidate);
            found[i] = scenario ? bench.estimator.seconds(**scenario, *candidates[i].blocks)
                                : tl::unexpected(scenario.error());
        }
        return true;
    };
    parallelMap(places, work, {.threads = places.size()});
    return found;
}

}  // namespace fabricast
