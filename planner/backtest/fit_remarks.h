#pragma once
#include "planner/backtest/left_out_groups.h"
#include "planner/result/machine_fit.h"

#include <vector>

namespace fabricast {

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
