#pragma once
#include "planner/evidence/measured_collectives.h"

#include <cstddef>
#include <vector>

namespace fabricast {

/// Neighbours in a ring: what each of its steps costs before its first byte, and the rate at which
/// all send at once.
struct RingFit {
    Seconds step;
    BytesPerSecond rate;
    std::size_t rows = 0;  ///< points that say so
};

/// The least squared relative error over the all-reduces, all-gathers and reduce-scatters among
/// these curves: t = steps · step + bytes over a link / rate. No rows: nothing comparable there.
RingFit fitRing(const std::vector<MeasuredCurve>& curves);

}  // namespace fabricast
