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
        benches.push_back({std::move(estimator), task.base});
    }
    return LayoutForecast(task, space, std::move(benches));
}

Result<StepEstimate> LayoutForecast::stepOf(Bench& bench,
                                            const Candidate& candidate,
                                            const BlockCosts& blocks) {
    const Result<BlockCost>& cost = blocks.of(candidate);
    if (!cost) {
        return tl::unexpected(cost.error());
    }
    bench.scratch.stack = std::string(task_->stacks[candidate.stack].stack->name);
    bench.scratch.layout = candidate.layout;
    bench.scratch.settings = space_->settings[candidate.settings];
    return bench.estimator.estimate(bench.scratch, cost->time);
}

std::vector<Result<StepEstimate>> LayoutForecast::steps(std::span<const std::uint32_t> candidates,
                                                        const BlockCosts& blocks) {
    std::vector<std::size_t> places(std::min(benches_.size(), candidates.size()));
    std::vector<Result<StepEstimate>> found(candidates.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i] = i;
    }
    // Each bench takes every so many of the candidates: none is used by two threads.
    const auto work = [&](std::size_t place) {
        for (std::size_t i = place; i < candidates.size(); i += places.size()) {
            found[i] = stepOf(benches_[place], space_->candidates[candidates[i]], blocks);
        }
        return true;
    };
    parallelMap(places, work, {.threads = places.size()});
    return found;
}

}  // namespace fabricast
