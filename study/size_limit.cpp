#include "study/size_limit.h"

#include "study/sized_cluster.h"
#include "study/unit_sizes.h"

#include <algorithm>
#include <limits>

namespace fabricast {
namespace {

constexpr double kForEver = std::numeric_limits<double>::infinity();

/// A number that is not known is no better than any.
bool isAtMostOf(const std::optional<Watts>& a, const std::optional<Watts>& b) {
    return !b || (a && *a <= *b);
}

}  // namespace

bool isOfUse(const SizeBound& bound, const SizeLimit& limit) {
    return bound.seconds < limit.seconds && bound.tokensPerSecond >= limit.tokensPerSecond;
}

double secondsOf(const SizeBound& bound, double usd) {
    if (bound.usdPerSecond) {
        return *bound.usdPerSecond > 0.0 ? usd / *bound.usdPerSecond : kForEver;
    }
    return bound.usd && *bound.usd <= usd ? kForEver : 0.0;
}

SizeLimit limitOf(const SizeBound& bound, std::span<const SizeTarget> targets) {
    SizeLimit limit;
    for (const SizeTarget& target : targets) {
        switch (target.metric) {
            case SizeMetric::TokensPerSecond:
                limit.tokensPerSecond = std::max(limit.tokensPerSecond, target.wanted);
                break;
            case SizeMetric::Days:
                limit.seconds = std::min(limit.seconds, target.wanted * kSecondsPerDay);
                break;
            case SizeMetric::Budget:
                limit.seconds = std::min(limit.seconds, secondsOf(bound, target.wanted));
                break;
        }
    }
    const bool mayMeet =
        bound.tokensPerSecond >= limit.tokensPerSecond && bound.seconds <= limit.seconds;
    return mayMeet ? limit : kNoUse;
}

SizeLimit limitToBeat(const SizeBound& bound,
                      const SizedCluster& had,
                      SizeAim aim,
                      std::span<const SizeTarget> targets) {
    SizeLimit limit = limitOf(bound, targets);
    switch (aim) {
        case SizeAim::Cost:
            limit.seconds =
                std::min(limit.seconds, had.usd ? secondsOf(bound, *had.usd) : limit.seconds);
            return limit;
        case SizeAim::Time:
            limit.seconds = std::min(limit.seconds, had.seconds);
            return limit;
        case SizeAim::Power:
        case SizeAim::Gpus:
            break;
    }
    const double of = valueOf(had, aim).value_or(std::numeric_limits<double>::max());
    const double has = valueOf(bound, aim).value_or(std::numeric_limits<double>::max());
    if (has == of) {
        limit.seconds = std::min(limit.seconds, had.seconds);
    }
    return has > of ? kNoUse : limit;
}

double beatenFrom(const SizedCluster& a, const SizeBound& b) {
    if (!isAtMostOf(a.power, b.power)) {
        return kForEver;
    }
    if (!b.usd) {
        return a.seconds;
    }
    if (!a.usd) {
        return kForEver;
    }
    if (b.usdPerSecond) {
        return std::max(a.seconds, secondsOf(b, *a.usd));
    }
    return *a.usd <= *b.usd ? a.seconds : kForEver;
}

}  // namespace fabricast
