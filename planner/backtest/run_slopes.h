#pragma once
#include "planner/backtest/published_run.h"
#include "planner/backtest/run_catalog.h"
#include "planner/estimate/estimate_step.h"
#include "planner/spec/like_runs.h"
#include "planner/spec/machine_factors.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// What a run says about a machine: how far its forecast is off, and how much each speed of the
/// machine would change that.
struct RunSlopes {
    const PublishedRun* run = nullptr;
    std::string evidence;  ///< class of its forecast's interval
    double miss = 0.0;     ///< ln(measured / forecast)
    /// d ln(forecast) / d ln(speed), below 0 where more speed is less time.
    std::array<double, kMachineFactors> slopes{};
    RunTraits traits;
};

/// Of the runs that have a forecast on a machine with these factors, in their order. Slopes are
/// those of forecasts with a speed 5 % higher.
std::vector<RunSlopes> runSlopes(const std::vector<const PublishedRun*>& runs,
                                 const RunCatalog& catalog,
                                 const TimingProfiles& profiles,
                                 const MachineFactors& factors,
                                 std::size_t threads);

/// The misses alone: empty without a forecast.
std::vector<std::optional<double>> runMisses(const std::vector<const PublishedRun*>& runs,
                                             const RunCatalog& catalog,
                                             const TimingProfiles& profiles,
                                             const MachineFactors& factors,
                                             std::size_t threads);

}  // namespace fabricast
