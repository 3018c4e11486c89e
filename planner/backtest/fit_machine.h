#pragma once
#include "planner/backtest/left_out_groups.h"
#include "planner/backtest/run_catalog.h"
#include "planner/estimate/estimate_step.h"
#include "planner/result/machine_fit.h"

#include <cstddef>
#include <vector>

namespace fabricast {

/// The speeds of a machine with which forecasts of its runs are nearest to what was measured, for
/// each kind of GPU of the table: those factors that lower the error of runs which were left out of
/// the fit (choose_factors.h). A correction that is loaded already is fitted anew. An error where
/// fewer than eight runs on every GPU can be forecast.
///     FABRICAST_ASSIGN(const auto fits, fitMachines(runs, catalog, timing, threads));
Result<std::vector<MachineFit>> fitMachines(const std::vector<PublishedRun>& runs,
                                            const RunCatalog& catalog,
                                            const TimingProfiles& profiles,
                                            std::size_t threads);

/// How far repeated measurements of the same work are apart, as the standard deviation of a
/// logarithm: these runs' own, and no less than steps of one job differ by.
double repeatDeviation(const std::vector<RunSlopes>& runs);

/// Fills in which runs disagree with the others, or with a repeat of themselves, and what to
/// measure next: the speed whose knowledge takes most off the variance of these runs' forecasts.
void addRemarks(const std::vector<RunSlopes>& runs,
                const LeftOutGroups& groups,
                const std::vector<double>& leftOut,
                MachineFit& fit);

}  // namespace fabricast
