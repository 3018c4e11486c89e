#pragma once
#include "planner/base/units.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace fabricast {

/// Simulated time in whole picoseconds, so that a run is the same on every machine: 106 days fit.
///     const SimTime end = start + simTime(64_MiB / rate);
using SimTime = Quantity<struct SimTimeTag, std::int64_t>;

inline constexpr double kPicoseconds = 1e12;

/// To the nearest picosecond; longer times are the largest representable one.
inline SimTime simTime(Seconds time) {
    constexpr double kMost = 9.2e18;
    const double ticks = std::round(time.count() * kPicoseconds);
    if (!(ticks < kMost)) {
        return SimTime(std::numeric_limits<std::int64_t>::max());
    }
    return SimTime(static_cast<std::int64_t>(std::max(ticks, -kMost)));
}

constexpr Seconds seconds(SimTime time) {
    return Seconds(static_cast<double>(time.count()) / kPicoseconds);
}

/// For tables and JSON.
constexpr double secondsOf(SimTime time) {
    return seconds(time).count();
}

}  // namespace fabricast
