#pragma once
#include "planner/compute/kernel_times.h"
#include "planner/spec/kernel_profile.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace fabricast {

// The terms that several kernels' times share; docs/kernels.md has them in the same letters. Times
// are plain seconds here.

/// ceil(x) of 0 <= x < 2^63, without a call.
inline double ceiling(double x) {
    const auto whole = static_cast<double>(static_cast<std::int64_t>(x));
    return whole < x ? whole + 1 : whole;
}

/// (a^p + b^p)^(1/p): the larger of two overlapping times, rounded where they meet.
inline double join(double a, double b, double power) {
    const double longer = std::max(a, b);
    const double ratio = longer > 0 ? std::min(a, b) / longer : 0.0;
    // Below this the sum is the longer one to the last digit.
    constexpr double kNothing = 1e-12;
    const double rest = std::pow(ratio, power);
    return rest < kNothing ? longer : longer * std::pow(1 + rest, 1 / power);
}

/// Waves of tiles over the multiprocessors. The last one counts between as filled and as whole.
inline double effectiveWaves(double waves, double fraction) {
    const double smooth = fraction * ceiling(waves) + (1 - fraction) * std::max(waves, 1.0);
    return std::max(waves, smooth);
}

/// Clocks fall under load: in a burst as it lasts, in a training loop all the time.
///     burst: t·(1 + δ·t/(t+τ));  sustained: t·(1 + δ)/factor
inline double throttled(double compute,
                        double throttle,
                        Seconds throttleTime,
                        double sustainedFactor,
                        const RateState& state) {
    if (state.sustained) {
        return compute * (1 + throttle) / sustainedFactor;
    }
    return compute * (1 + throttle * compute / (compute + throttleTime.count()));
}

}  // namespace fabricast
