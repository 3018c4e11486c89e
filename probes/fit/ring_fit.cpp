#include "probes/fit/ring_fit.h"

namespace fabricast {
namespace {

/// How often a ring of n passes a part on; 0: no ring.
double stepsOf(const MeasuredCurve& curve) {
    const auto others = static_cast<double>(curve.ranks - 1);
    switch (curve.kind) {
        case CollectiveKind::AllReduce:
            return 2.0 * others;
        case CollectiveKind::AllGather:
        case CollectiveKind::ReduceScatter:
            return others;
        default:
            return 0.0;
    }
}

/// The normal equations of t = steps · a + bytes · b, each row divided by its t.
struct Sums {
    double ss = 0.0;
    double sb = 0.0;
    double bb = 0.0;
    double s = 0.0;
    double b = 0.0;
    std::size_t rows = 0;
};

Sums sumsOf(const std::vector<MeasuredCurve>& curves) {
    Sums sums;
    for (const MeasuredCurve& curve : curves) {
        const double count = stepsOf(curve);
        for (const MeasuredCurve::Point& point : curve.points) {
            if (count == 0.0) {
                break;
            }
            const double seconds = point.seconds.count();
            const double steps = count / seconds;
            const double bytes = count * point.bytes / static_cast<double>(curve.ranks) / seconds;
            sums.ss += steps * steps;
            sums.sb += steps * bytes;
            sums.bb += bytes * bytes;
            sums.s += steps;
            sums.b += bytes;
            ++sums.rows;
        }
    }
    return sums;
}

}  // namespace

RingFit fitRing(const std::vector<MeasuredCurve>& curves) {
    const Sums sums = sumsOf(curves);
    constexpr std::size_t kFewest = 2;
    if (sums.rows < kFewest) {
        return {};
    }
    const double determinant = sums.ss * sums.bb - sums.sb * sums.sb;
    double step = determinant > 0 ? (sums.s * sums.bb - sums.b * sums.sb) / determinant : 0.0;
    double perByte = determinant > 0 ? (sums.b * sums.ss - sums.s * sums.sb) / determinant : 0.0;
    if (step < 0.0 || perByte <= 0.0) {
        // All large, or all small: one number is all they say.
        step = 0.0;
        perByte = sums.b / sums.bb;
    }
    return {.step = Seconds(step), .rate = BytesPerSecond(1.0 / perByte), .rows = sums.rows};
}

}  // namespace fabricast
