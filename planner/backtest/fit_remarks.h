#pragma once
#include "planner/backtest/left_out_groups.h"
#include "planner/result/machine_fit.h"

#include <vector>

namespace fabricast {

/// Fills in which runs disagree with the others, or with a repeat of themselves, and what to
/// measure next: the speed whose knowledge takes most off the variance of these runs' forecasts.
void addRemarks(const std::vector<RunSlopes>& runs,
                const LeftOutGroups& groups,
                const std::vector<double>& leftOut,
                MachineFit& fit);

}  // namespace fabricast
