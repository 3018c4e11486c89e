#include "planner/search/find_plans.h"

#include "planner/search/layout_forecast.h"
#include "planner/search/plan_search.h"

#include <utility>

namespace fabricast {

Result<PlanReport> findPlans(const SearchTask& task,
                             const TimingProfiles& profiles,
                             const SearchOptions& options,
                             const Watch& watch) {
    const GpuSpec& gpu = task.base.cluster.node.gpu;
    if (!gpu.capacity().value) {
        return fail(Error::Code::Unsupported,
                    "cluster",
                    "the memory size of " + gpu.name + " is not known");
    }
    FABRICAST_ASSIGN(const SearchSpace space, enumerateLayouts(task, watch));
    FABRICAST_ASSIGN(LayoutForecast forecast,
                     LayoutForecast::make(task, space, profiles, options.threads));
    return PlanSearch(task, space, options, std::move(forecast), watch).run();
}

}  // namespace fabricast
