#include "planner/backtest/error_spread.h"
#include "planner/backtest/fit_machine.h"
#include "planner/backtest/solve_factors.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace fabricast {

namespace {

constexpr std::size_t kMostDisagreeing = 3;
/// Of a normal distribution, its standard deviation over its median size.
constexpr double kDeviationOfMedian = 1.4826;
/// Steps of one job differ by as much.
constexpr double kLeastDeviation = 0.01;
/// Farther from the others than one run in 370 of a normal distribution.
constexpr double kOddDeviations = 3.0;

double deviationOf(std::vector<double> misses) {
    for (double& miss : misses) {
        miss = std::abs(miss);
    }
    return std::max(kLeastDeviation, kDeviationOfMedian * quantileOf(std::move(misses), 0.5));
}

std::string percentText(double log) {
    const long percent = std::lround(100.0 * std::expm1(log));
    return (percent < 0 ? "" : "+") + std::to_string(percent) + " %";
}

/// Two runs of the same work whose times differ more than the runs differ from their forecasts.
void addRepeats(const std::vector<RunSlopes>& runs, double deviation, MachineFit& fit) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (std::size_t j = i + 1; j < runs.size(); ++j) {
            const double apart = runs[j].miss - runs[i].miss;
            if (fit.disagree.size() < kMostDisagreeing && areRepeats(*runs[i].run, *runs[j].run) &&
                std::abs(apart) > std::sqrt(2.0) * deviation) {
                fit.disagree.push_back(runs[i].run->id + " and " + runs[j].run->id +
                                       ": equal in all columns, yet the second took " +
                                       percentText(apart));
            }
        }
    }
}

void addOddRuns(const std::vector<RunSlopes>& runs,
                const std::vector<double>& leftOut,
                double deviation,
                MachineFit& fit) {
    std::vector<std::pair<double, std::size_t>> odd;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (std::abs(leftOut[i]) > kOddDeviations * deviation) {
            odd.emplace_back(-std::abs(leftOut[i]), i);
        }
    }
    std::sort(odd.begin(), odd.end());
    for (const auto& [size, i] : odd) {
        if (fit.disagree.size() < kMostDisagreeing) {
            fit.disagree.push_back(runs[i].run->id + ": measured " + percentText(leftOut[i]) +
                                   " of what the other runs say");
        }
    }
}

/// How a speed is measured alone.
std::string measurementOf(MachineFactor factor) {
    switch (factor) {
        case MachineFactor::Host:
            return "a run of small microbatches on one GPU";
        case MachineFactor::Node:
        case MachineFactor::NodeLatency:
            return "collectives inside a node (fabricast calibrate --engine nccl)";
        case MachineFactor::Network:
        case MachineFactor::NetworkLatency:
            return "collectives between nodes (fabricast calibrate --from-nccl-tests)";
        case MachineFactor::Dispatch:
            return "the all-to-all (fabricast calibrate --from-nccl-tests)";
        case MachineFactor::Memory:
            return "memory-bound kernels (fabricast calibrate --engine cuda)";
        case MachineFactor::Attention:
            return "attention (fabricast calibrate --engine cuda)";
        default:
            return "matrix products (fabricast calibrate --engine cuda)";
    }
}

/// Of the forecasts' variance, sum s'Cs over runs, knowing speed j takes off sum (s'C_j)²/C_jj.
void addNext(const std::vector<RunSlopes>& runs, double deviation, MachineFit& fit) {
    FactorList all(kMachineFactors);
    for (std::size_t i = 0; i < kMachineFactors; ++i) {
        all[i] = i;
    }
    const auto covariance = factorCovariance(runs, all, deviation * deviation);
    double total = 0.0;
    PerFactor saved{};
    for (const RunSlopes& run : runs) {
        for (std::size_t j = 0; j < kMachineFactors; ++j) {
            double along = 0.0;
            for (std::size_t i = 0; i < kMachineFactors; ++i) {
                along += run.slopes[i] * covariance[i][j];
            }
            total += along * run.slopes[j];
            saved[j] += along * along / covariance[j][j];
        }
    }
    const auto best = std::max_element(saved.begin(), saved.end());
    if (total <= 0) {
        return;
    }
    const std::string share = std::to_string(std::lround(100.0 * *best / total)) + " %";
    fit.next = measurementOf(static_cast<MachineFactor>(best - saved.begin())) + ": " + share +
               " of the variance that these runs leave in their forecasts";
}

}  // namespace

double repeatDeviation(const std::vector<RunSlopes>& runs) {
    std::vector<double> apart;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (std::size_t j = i + 1; j < runs.size(); ++j) {
            if (areRepeats(*runs[i].run, *runs[j].run)) {
                apart.push_back((runs[j].miss - runs[i].miss) / std::sqrt(2.0));
            }
        }
    }
    return deviationOf(std::move(apart));
}

void addRemarks(const std::vector<RunSlopes>& runs,
                const LeftOutGroups& groups,
                const std::vector<double>& leftOut,
                MachineFit& fit) {
    const double deviation = deviationOf(leftOut);
    addRepeats(runs, deviation, fit);
    if (groups.count > 1) {
        addOddRuns(runs, leftOut, deviation, fit);
    }
    addNext(runs, deviation, fit);
}

}  // namespace fabricast
