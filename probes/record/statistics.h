#pragma once
#include <vector>

namespace fabricast::probe {

/// The value in the middle; of an even number, the mean of the two there. Not for no values.
double median(std::vector<double> values);

/// The value below which this share (0 to 1) of the values lies, straight between neighbours.
double quantile(std::vector<double> values, double share);

/// How far the values lie from their median: the median of the distances. An outlier hardly moves
/// it.
double medianDeviation(const std::vector<double>& values);

/// How well the median is known, as a share of it: its standard error were the values normal, from
/// the span of their middle half. 0 of fewer than two.
double medianError(const std::vector<double>& values);

}  // namespace fabricast::probe
