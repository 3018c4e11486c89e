#pragma once
#include "planner/evidence/comparison_error.h"
#include "planner/result/backtest_result.h"

#include <vector>

namespace fabricast {

/// The error of a comparison, from pairs of rows: two layouts of one model on one machine, measured
/// by one source under one stack. Pairs that share tp, pp, cp and ep are apart from the others.
/// Also, with each source left out in turn: how many pairs were measured in the order that was
/// forecast, and of those whose forecasts differ by more than the error of a comparison.
PairScore pairScore(const std::vector<const BacktestRow*>& rows);

/// What profiles keep of it; nothing of a kind with fewer than 30 pairs.
ComparisonError comparisonErrorOf(const PairScore& score);

/// Fills `all` and `groups` from the rows that count.
void summariseRows(Backtest& backtest);

}  // namespace fabricast
