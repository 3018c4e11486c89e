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

/// All layers at once on one GPU that never waits, launches nothing and runs each kernel at its
/// best rate: parts of a layer on several GPUs take as long together. Infinite where the GPU has no
/// such kernels.
double passesOf(const Scenario& scenario, const TimeBound& bound, const KernelProfile& limits) {
    const Result<ModelTime> least = leastPerSample(scenario, limits);
    return least ? bound.fromSamples(scenario.layout, *least)
                 : std::numeric_limits<double>::infinity();
}

/// The least over the kinds of layout, of one stack; 0 where none has settings.
double leastOf(const SearchTask& task,
               const StackSettings& stack,
               const TimeBound& bound,
               const KernelProfile& limits) {
    double least = std::numeric_limits<double>::infinity();
    for (const Layout& layout : kindsOfLayout()) {
        const Result<Settings> settings = stack.settingsFor(layout);
        if (!settings) {
            continue;
        }
        Scenario scenario = task.base;
        scenario.stack = std::string(stack.stack->name);
        scenario.settings = *settings;
        scenario.layout = {.microBatch = task.base.workload.globalBatch};
        least = std::min(least, passesOf(scenario, bound, limits));
    }
    return least < std::numeric_limits<double>::infinity() ? least : 0.0;
}

}  // namespace

Result<double> leastGpuSeconds(const SearchTask& task, const TimingProfiles& profiles) {
    FABRICAST_ASSIGN(const StepEstimator estimator,
                     StepEstimator::make(task.base.cluster, profiles));
    const SearchSpace nothing;
    const TimeBound bound(task, nothing, estimator.host());
    double least = task.stacks.empty() ? 0.0 : std::numeric_limits<double>::max();
    for (const StackSettings& stack : task.stacks) {
        least = std::min(least, leastOf(task, stack, bound, estimator.limits()));
    }
    const WorkloadSpec& workload = task.base.workload;
    const double tokens =
        static_cast<double>(workload.globalBatch) * static_cast<double>(workload.sequence);
    return least / tokens;
}

}  // namespace fabricast
