#include "planner/budget/checkpoint_interval.h"

#include <algorithm>
#include <cmath>

namespace fabricast {

Seconds youngInterval(Seconds blocking, Seconds mtbf) {
    return Seconds(std::sqrt(2.0 * blocking.count() * mtbf.count()));
}

Seconds dalyInterval(Seconds blocking, Seconds mtbf) {
    const double d = blocking.count();
    const double m = mtbf.count();
    if (d >= 2.0 * m) {
        return mtbf;
    }
    const double ratio = d / m;
    const double factor = 1.0 + std::sqrt(ratio / 2.0) / 3.0 + ratio / 18.0;
    return Seconds(std::sqrt(2.0 * d * m) * factor - d);
}

double cycleGoodput(const CycleTimes& cycle) {
    const double t = cycle.interval.count();
    const double d = cycle.blocking.count();
    const double m = cycle.mtbf.count();
    if (std::isinf(m)) {
        return std::isinf(t) || t + d <= 0.0 ? 1.0 : t / (t + d);
    }
    if (std::isinf(t)) {
        return 0.0;
    }
    const double x = (t + d) / m;
    // (t / (t + d)) · e^(-R/M) · x / (e^x - 1): each factor is at most 1, and none overflows.
    const double useful = t + d > 0.0 ? t / (t + d) : 1.0;
    const double again = std::isinf(x) ? 0.0 : x > 0.0 ? x / std::expm1(x) : 1.0;
    return std::clamp(useful * std::exp(-cycle.recovery.count() / m) * again, 0.0, 1.0);
}

}  // namespace fabricast
