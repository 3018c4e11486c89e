#include "planner/evidence/likeness.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace fabricast {

namespace {

/// Octaves between counts, and differences of shares, that are as far as one standard deviation.
constexpr double kOctaves = 3.0;
constexpr double kShare = 0.15;
/// The same, squared, of settings that differ.
constexpr double kOtherSettings = 1.0;
/// The bounds of a machine's speeds (machine_correction.h) are those of what a file stretches too.
constexpr double kMostLog = 0.92;

double square(double value) {
    return value * value;
}

double logStretch(const std::vector<LikeRun>& runs, const RunTraits& traits) {
    double sum = 0.0;
    for (const LikeRun& run : runs) {
        sum += run.weight * likeness(run.traits, traits);
    }
    return sum;
}

}  // namespace

double likeness(const RunTraits& a, const RunTraits& b) {
    double apart = a.settings == b.settings ? 0.0 : kOtherSettings;
    for (std::size_t i = 0; i < a.counts.size(); ++i) {
        apart += square(std::log2(a.counts[i] / b.counts[i]) / kOctaves);
    }
    for (std::size_t i = 0; i < a.shares.size(); ++i) {
        apart += square((a.shares[i] - b.shares[i]) / kShare);
    }
    return std::exp(-apart / 2.0);
}

OwnLikeness ownLikeness(std::vector<LikeRun> runs) {
    OwnLikeness own;
    for (const LikeRun& run : runs) {
        const double log = logStretch(runs, run.traits);
        own.least = std::max(-kMostLog, std::min(own.least, log));
        own.most = std::min(kMostLog, std::max(own.most, log));
    }
    own.runs = std::move(runs);
    return own;
}

double stretchOf(const OwnLikeness& own, const RunTraits& traits) {
    if (own.runs.empty()) {
        return 1.0;
    }
    return std::exp(std::clamp(logStretch(own.runs, traits), own.least, own.most));
}

double leastStretch(const OwnLikeness& own) {
    return std::exp(own.least);
}

}  // namespace fabricast
