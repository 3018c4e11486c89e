#pragma once
#include "planner/evidence/step_intervals.h"
#include "planner/result/backtest_result.h"

#include <vector>

namespace fabricast {

/// Intervals that four of five runs of *other* sources fall into (conformal). Per class of evidence
/// with at least 30 runs of two sources, and for all: quantiles of measured over forecast, where a
/// source counts with the root of its runs. Their tails are the widest at which, each source left
/// out in turn, 80 % of all runs lie in the intervals made from the others. Also fills the rows'
/// looseLo and looseHi from those. Without classes where no run counts.
StepIntervals fitIntervals(std::vector<BacktestRow>& rows);

}  // namespace fabricast
