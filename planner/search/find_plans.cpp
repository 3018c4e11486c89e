#include "planner/search/find_plans.h"

#include "planner/search/layout_forecast.h"
#include "planner/search/plan_search.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace fabricast {

namespace {

Result<PlanReport> searchedOnce(const SearchTask& task,
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

}  // namespace

/// Rows that differ leave out what the front needs: leaner spellings of a row, and what is between
/// the rows. It is looked for apart, with what the first search worked out.
Result<PlanReport> findPlans(const SearchTask& task,
                             const TimingProfiles& profiles,
                             const SearchOptions& options,
                             const Watch& watch) {
    if (!options.pareto || !options.distinct) {
        return searchedOnce(task, profiles, options, watch);
    }
    KnownWork own;
    SearchOptions rows = options;
    rows.pareto = false;
    rows.known = options.known == nullptr ? &own : options.known;
    FABRICAST_ASSIGN(PlanReport report, searchedOnce(task, profiles, rows, watch));
    SearchOptions front = rows;
    front.pareto = true;
    front.distinct = false;
    front.top = 1;
    front.onPlan = nullptr;
    constexpr std::int64_t kLeastShare = 4;
    front.mostWalked =
        std::max(options.mostWalked - report.walked, options.mostWalked / kLeastShare);
    FABRICAST_ASSIGN(PlanReport whole, searchedOnce(task, profiles, front, {.stop = watch.stop}));
    report.pareto = std::move(whole.pareto);
    report.walked += whole.walked;
    report.wholeFront = true;
    if (!whole.cutShort.empty()) {
        report.cutShort += (report.cutShort.empty() ? "" : "; ") +
                           std::string("the Pareto front may lack layouts");
    }
    return report;
}

}  // namespace fabricast
