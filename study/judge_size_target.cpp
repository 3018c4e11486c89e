#include "study/size_verdicts.h"
#include "study/unit_sizes.h"

#include <limits>

namespace fabricast {
namespace {

double ratioOf(double value, const SizeTarget& target) {
    return target.metric == SizeMetric::TokensPerSecond ? target.wanted / value
                                                        : value / target.wanted;
}

}  // namespace

std::optional<Headline<double>> valueOf(const SizedCluster& cluster, SizeMetric metric) {
    if (cluster.plans.empty()) {
        return std::nullopt;
    }
    switch (metric) {
        case SizeMetric::TokensPerSecond:
            return Headline<double>{.value = cluster.tokensPerSecond,
                                    .lo = cluster.tokensRange.lo,
                                    .hi = cluster.tokensRange.hi};
        case SizeMetric::Days:
            return Headline<double>{.value = cluster.seconds / kSecondsPerDay,
                                    .lo = cluster.secondsRange.lo / kSecondsPerDay,
                                    .hi = cluster.secondsRange.hi / kSecondsPerDay};
        case SizeMetric::Budget:
            break;
    }
    if (!cluster.usd || !cluster.usdRange) {
        return std::nullopt;
    }
    return Headline<double>{
        .value = *cluster.usd, .lo = cluster.usdRange->lo, .hi = cluster.usdRange->hi};
}

CheckVerdict verdictOn(const SizedCluster& cluster, const SizeTarget& target) {
    const std::optional<Headline<double>> value = valueOf(cluster, target.metric);
    if (!value) {
        return CheckVerdict::CannotTell;
    }
    const bool low = ratioOf(value->lo, target) <= 1.0;
    const bool high = ratioOf(value->hi, target) <= 1.0;
    if (low != high) {
        return CheckVerdict::CannotTell;
    }
    return low ? CheckVerdict::Holds : CheckVerdict::Fails;
}

double missRatio(const SizedCluster& cluster, const SizeTarget& target) {
    const std::optional<Headline<double>> value = valueOf(cluster, target.metric);
    return value ? ratioOf(value->value, target) : std::numeric_limits<double>::infinity();
}

}  // namespace fabricast
