#include "planner/search/token_floor.h"

#include "planner/estimate/step_estimator.h"
#include "planner/search/time_bound.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace fabricast {
namespace {

/// Layouts of every kind that a stack has defaults for.
std::vector<Layout> kindsOfLayout() {
    std::vector<Layout> kinds;
    for (const auto& [shard, name] : namesOf(Shard{})) {
        for (const std::int64_t ranks : {1, 2}) {
            for (const std::int64_t stages : {1, 2}) {
                kinds.push_back({.dp = ranks, .pp = stages, .shard = shard});
            }
        }
    }
    return kinds;
}

/// The least over the kinds of layout, of one stack; 0 where none has settings.
double leastOf(const StackSettings& stack, const TimeBound& bound, const KernelProfile& limits) {
    double least = std::numeric_limits<double>::max();
    bool isKnown = false;
    for (const Layout& layout : kindsOfLayout()) {
        const Result<Settings> settings = stack.settingsFor(layout);
        if (!settings) {
            continue;
        }
        const double perFlop = leastPerFlop(*settings, limits);
        if (perFlop < std::numeric_limits<double>::max()) {
            least = std::min(least, bound.fromFlops(*settings, false, perFlop));
            isKnown = true;
        }
    }
    return isKnown ? least : 0.0;
}

}  // namespace

Result<double> leastGpuSeconds(const SearchTask& task, const TimingProfiles& profiles) {
    FABRICAST_ASSIGN(const StepEstimator estimator,
                     StepEstimator::make(task.base.cluster, profiles));
    const SearchSpace nothing;
    const TimeBound bound(task, nothing, estimator.host());
    double least = std::numeric_limits<double>::max();
    for (const StackSettings& stack : task.stacks) {
        least = std::min(least, leastOf(stack, bound, estimator.limits()));
    }
    const WorkloadSpec& workload = task.base.workload;
    const double tokens =
        static_cast<double>(workload.globalBatch) * static_cast<double>(workload.sequence);
    return task.stacks.empty() ? 0.0
                               : least * static_cast<double>(task.base.cluster.gpus()) / tokens;
}

}  // namespace fabricast
