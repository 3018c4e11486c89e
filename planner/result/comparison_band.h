#pragma once
#include "planner/evidence/comparison_error.h"
#include "planner/spec/scenario.h"

#include <cmath>

namespace fabricast {

/// Whether the backtest compares two such runs: one model under one stack, on as many of the same
/// GPUs. What it found does not speak of others.
inline bool areOfOneWork(const Scenario& a, const Scenario& b) {
    const ClusterSpec& one = a.cluster;
    const ClusterSpec& other = b.cluster;
    return a.stack == b.stack && a.model == b.model && a.layout.world() == b.layout.world() &&
           one.node.name == other.node.name && one.node.gpu.name == other.node.gpu.name &&
           one.fabric.name == other.fabric.name;
}

/// How far apart the times per token of two forecasts must be to tell which is shorter. Where the
/// work differs too (another stack, model or cluster), at least the larger of the errors.
///     if (isWithinBand(b / a, comparisonBand(step.comparison, left, right))) { … }
inline double comparisonBand(const ComparisonError& error, const Scenario& a, const Scenario& b) {
    const Layout& one = a.layout;
    const Layout& other = b.layout;
    const bool sameSplit =
        one.tp == other.tp && one.pp == other.pp && one.cp == other.cp && one.ep == other.ep;
    if (!areOfOneWork(a, b)) {
        return error.larger();
    }
    return sameSplit ? error.sameSplit.error : error.otherSplit.error;
}

/// Whether a ratio of two times is too close to 1 to tell which is shorter.
inline bool isWithinBand(double ratio, double band) {
    return std::abs(std::log(ratio)) <= std::log1p(band);
}

}  // namespace fabricast
