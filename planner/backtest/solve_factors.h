#pragma once
#include "planner/backtest/run_slopes.h"

#include <array>
#include <cstddef>
#include <vector>

namespace fabricast {

/// A number for each speed of a machine.
using PerFactor = std::array<double, kMachineFactors>;
/// Speeds, by their place in MachineFactor.
using FactorList = std::vector<std::size_t>;

/// How far the speeds of machines are from their profiles' before anything was measured, as the
/// standard deviation of a logarithm: products as steady clocks differ, collectives as networks do.
const PerFactor& usualSpread();

/// ln(measured / forecast) of a run on a machine with these logarithms of speeds.
double missWith(const RunSlopes& run, const PerFactor& logs);
std::vector<double> missesWith(const std::vector<RunSlopes>& runs, const PerFactor& logs);

/// The logarithms of the speeds in `chosen` (the others are 0) that make forecasts nearest to what
/// was measured: ridge regression towards 0, in which a few odd runs weigh less (Huber):
///     min sum w (miss - slopes·x)² + noise · sum (x / spread)²
/// `noise` is the variance of a run that no speed explains. Runs with `skipped` are left out.
PerFactor solveFactors(const std::vector<RunSlopes>& runs,
                       const std::vector<bool>& skipped,
                       const FactorList& chosen,
                       double noise);

/// Covariance of those logarithms, by rows of `chosen`.
std::vector<std::vector<double>> factorCovariance(const std::vector<RunSlopes>& runs,
                                                  const FactorList& chosen,
                                                  double noise);

}  // namespace fabricast
