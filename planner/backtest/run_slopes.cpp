#include "planner/backtest/run_slopes.h"

#include "planner/backtest/forecast_run.h"
#include "planner/base/parallel_map.h"
#include "planner/estimate/run_traits.h"

#include <cmath>
#include <utility>

namespace fabricast {

namespace {

/// How much a speed is changed to see what follows.
constexpr double kChange = 1.05;

using Misses = std::vector<std::optional<double>>;

std::optional<double> missOf(const PublishedRun& run, const RunForecast& forecast) {
    const std::optional<double> measured = run.measuredStep();
    if (!forecast.step || !measured || *measured <= 0) {
        return std::nullopt;
    }
    const double ratio = *measured / forecast.step->step.value.count();
    return std::isfinite(ratio) && ratio > 0 ? std::optional(std::log(ratio)) : std::nullopt;
}

/// One run with each speed of the machine changed in turn. Collectives, kernels and software are
/// the same for all of them, so that a change moves nothing else.
RunSlopes slopesOf(const PublishedRun& run,
                   const RunCatalog& catalog,
                   const TimingProfiles& profiles,
                   const MachineFactors& factors) {
    RunSlopes result{.run = &run};
    const RunForecast forecast = forecastRun(run, catalog.corrected(factors), profiles);
    const std::optional<double> miss = missOf(run, forecast);
    if (!miss) {
        return {};
    }
    result.miss = *miss;
    result.evidence = evidenceClass(*forecast.scenario);
    result.traits = traitsOf(*forecast.scenario, forecast.step->parts);
    for (std::size_t i = 0; i < kMachineFactors; ++i) {
        MachineFactors other = factors;
        other.speeds[i] *= kChange;
        const auto changed = missOf(run, forecastRun(run, catalog.corrected(other), profiles));
        result.slopes[i] = changed ? (*miss - *changed) / std::log(kChange) : 0.0;
    }
    return result;
}

}  // namespace

std::vector<RunSlopes> runSlopes(const std::vector<const PublishedRun*>& runs,
                                 const RunCatalog& catalog,
                                 const TimingProfiles& profiles,
                                 const MachineFactors& factors,
                                 std::size_t threads) {
    const auto slopes = [&](const PublishedRun* run) {
        return slopesOf(*run, catalog, profiles, factors);
    };
    auto all = parallelMap(runs, slopes, {.threads = threads});
    std::vector<RunSlopes> known;
    for (RunSlopes& one : all ? *all : std::vector<RunSlopes>()) {
        if (one.run != nullptr) {
            known.push_back(std::move(one));
        }
    }
    return known;
}

std::vector<std::optional<double>> runMisses(const std::vector<const PublishedRun*>& runs,
                                             const RunCatalog& catalog,
                                             const TimingProfiles& profiles,
                                             const MachineFactors& factors,
                                             std::size_t threads) {
    const RunCatalog own = catalog.corrected(factors);
    const auto miss = [&](const PublishedRun* run) {
        return missOf(*run, forecastRun(*run, own, profiles));
    };
    auto all = parallelMap(runs, miss, {.threads = threads});
    return all ? *std::move(all) : Misses(runs.size());
}

}  // namespace fabricast
