#pragma once
#include "planner/result/backtest_result.h"

#include <vector>

namespace fabricast {

/// The q-quantile (0 to 1) of a sample, interpolated between its neighbours; 0 of none.
double quantileOf(std::vector<double> sample, double q);

/// Bias of the signed errors; median, mean, P90 and largest of their sizes.
ErrorSpread spreadOf(const std::vector<double>& errors);

/// Spearman's rank correlation: ties share their mean rank; 0 where either side is constant.
double rankCorrelation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace fabricast
