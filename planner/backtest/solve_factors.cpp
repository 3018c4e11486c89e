#include "planner/backtest/solve_factors.h"

#include "planner/backtest/square_matrix.h"
#include "planner/evidence/machine_correction.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricast {

namespace {

/// Rounds of weights: each run's follows from its miss in the round before.
constexpr int kWeightRounds = 5;
/// Huber's constant: 95 % as good as least squares where there are no odd runs.
constexpr double kHuber = 1.345;
/// Of a normal distribution, its standard deviation over its median size.
constexpr double kMedianToDeviation = 1.4826;
/// Steps of one job differ by as much.
constexpr double kLeastScale = 0.01;

/// Jᵀ·W·J + noise/spread².
SquareMatrix normalMatrix(const std::vector<RunSlopes>& runs,
                          const std::vector<double>& weights,
                          const FactorList& chosen,
                          double noise) {
    const std::size_t n = chosen.size();
    SquareMatrix sums(n, std::vector<double>(n, 0.0));
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < n; ++b) {
                sums[a][b] += weights[i] * runs[i].slopes[chosen[a]] * runs[i].slopes[chosen[b]];
            }
        }
    }
    for (std::size_t a = 0; a < n; ++a) {
        const double spread = usualSpread()[chosen[a]];
        sums[a][a] += noise / (spread * spread);
    }
    return sums;
}

PerFactor weighted(const std::vector<RunSlopes>& runs,
                   const std::vector<double>& weights,
                   const FactorList& chosen,
                   double noise) {
    const SquareMatrix inverted = inverse(normalMatrix(runs, weights, chosen, noise));
    std::vector<double> right(chosen.size(), 0.0);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (std::size_t a = 0; a < chosen.size(); ++a) {
            right[a] += weights[i] * runs[i].slopes[chosen[a]] * runs[i].miss;
        }
    }
    PerFactor logs{};
    for (std::size_t a = 0; a < chosen.size(); ++a) {
        double sum = 0.0;
        for (std::size_t b = 0; b < chosen.size(); ++b) {
            sum += inverted[a][b] * right[b];
        }
        logs[chosen[a]] = std::clamp(sum, std::log(kLeastCorrection), std::log(kMostCorrection));
    }
    return logs;
}

double medianSize(std::vector<double> sizes) {
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    return *middle;
}

/// 1 of a run that fits, less of one that is far off.
void reweigh(const std::vector<RunSlopes>& runs,
             const std::vector<bool>& skipped,
             const PerFactor& logs,
             std::vector<double>& weights) {
    std::vector<double> sizes;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!skipped[i]) {
            sizes.push_back(std::abs(missWith(runs[i], logs)));
        }
    }
    const double scale =
        sizes.empty() ? kLeastScale : std::max(kLeastScale, kMedianToDeviation * medianSize(sizes));
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const double size = std::abs(missWith(runs[i], logs));
        weights[i] =
            skipped[i] ? 0.0 : std::min(1.0, kHuber * scale / std::max(size, scale * 1e-6));
    }
}

}  // namespace

const PerFactor& usualSpread() {
    static constexpr PerFactor kSpread = {
        0.15,   // clock: GPUs of one kind at their limit of power
        0.15,   // bf16: libraries of one GPU, older and newer
        0.15,   // fp8
        0.15,   // fp4
        0.20,   // attention
        0.20,   // experts
        0.20,   // memory
        0.40,   // host: CPUs of nodes with the same GPUs
        0.30,   // node
        0.50,   // node_latency
        0.30,   // network: NICs, their number, and what else uses them
        0.50,   // network_latency
        0.30};  // dispatch
    return kSpread;
}

double missWith(const RunSlopes& run, const PerFactor& logs) {
    double miss = run.miss;
    for (std::size_t i = 0; i < kMachineFactors; ++i) {
        miss -= run.slopes[i] * logs[i];
    }
    return miss;
}

std::vector<double> missesWith(const std::vector<RunSlopes>& runs, const PerFactor& logs) {
    std::vector<double> misses;
    for (const RunSlopes& run : runs) {
        misses.push_back(missWith(run, logs));
    }
    return misses;
}

PerFactor solveFactors(const std::vector<RunSlopes>& runs,
                       const std::vector<bool>& skipped,
                       const FactorList& chosen,
                       double noise) {
    std::vector<double> weights(runs.size());
    std::transform(
        skipped.begin(), skipped.end(), weights.begin(), [](bool out) { return out ? 0.0 : 1.0; });
    PerFactor logs{};
    for (int round = 0; round < kWeightRounds; ++round) {
        logs = weighted(runs, weights, chosen, noise);
        reweigh(runs, skipped, logs, weights);
    }
    return logs;
}

std::vector<std::vector<double>> factorCovariance(const std::vector<RunSlopes>& runs,
                                                  const FactorList& chosen,
                                                  double noise) {
    const std::vector<double> equal(runs.size(), 1.0);
    SquareMatrix covariance = inverse(normalMatrix(runs, equal, chosen, noise));
    for (std::vector<double>& row : covariance) {
        for (double& each : row) {
            each *= noise;
        }
    }
    return covariance;
}

}  // namespace fabricast
