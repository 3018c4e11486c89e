#include "planner/estimate/step_estimator.h"
#include "planner/search/lower_bounds.h"
#include "planner/search/time_bound.h"

#include <algorithm>
#include <cmath>
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

/// Whether the stack has no kernels of the model, however its layers are split.
bool lacksKernels(Scenario scenario, const KernelProfile& limits) {
    for (const Layout& split : {Layout{}, {.tp = 2}, {.cp = 2}, {.dp = 2, .ep = 2}}) {
        scenario.layout = split;
        if (leastPerSample(scenario, limits)) {
            return false;
        }
    }
    return true;
}

/// The least over the kinds of layout, of one stack; infinite where it has none with kernels, and 0
/// where that depends on how layers are split.
double leastOf(const SearchTask& task,
               const StackSettings& stack,
               const TimeBound& bound,
               const KernelProfile& limits) {
    double least = std::numeric_limits<double>::infinity();
    bool lacksAll = true;
    for (const Layout& layout : kindsOfLayout()) {
        const Result<Settings> settings = stack.settingsFor(layout);
        if (!settings) {
            continue;
        }
        Scenario scenario = task.base;
        scenario.stack = std::string(stack.stack->name);
        scenario.settings = *settings;
        scenario.settings.recompute = {};
        scenario.layout = {.microBatch = task.base.workload.globalBatch};
        const double passes = passesOf(scenario, bound, limits);
        lacksAll = lacksAll && std::isinf(passes) && lacksKernels(scenario, limits);
        least = std::min(least, passes);
    }
    return std::isinf(least) && !lacksAll ? 0.0 : least;
}

}  // namespace

Result<double> leastGpuSeconds(const SearchTask& task, const TimingProfiles& profiles) {
    FABRICAST_ASSIGN(const StepEstimator estimator,
                     StepEstimator::make(task.base.cluster, profiles));
    const SearchSpace nothing;
    const TimeBound bound(task, nothing, estimator.host());
    double least = std::numeric_limits<double>::infinity();
    for (const StackSettings& stack : task.stacks) {
        least = std::min(least, leastOf(task, stack, bound, estimator.limits()));
    }
    if (std::isinf(least)) {  // no stack has a plan: the search says why
        return 0.0;
    }
    const WorkloadSpec& workload = task.base.workload;
    const double tokens =
        static_cast<double>(workload.globalBatch) * static_cast<double>(workload.sequence);
    return least * estimator.leastStretch() / tokens;
}

}  // namespace fabricast
