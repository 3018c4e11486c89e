#pragma once
#include "planner/base/units.h"

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// One unit for all the numbers of a table, so that they can be compared at a glance.
///     const ByteScale scale = byteScaleFor(peak);
///     scale.text(weights)  ->  "14.96"    scale.unit  ->  "GiB"
struct ByteScale {
    std::string_view unit;
    double bytes = 1;

    /// Two decimals.
    [[nodiscard]] std::string text(Bytes size) const;
};

/// The largest of B, KiB, MiB and GiB in which this size is at least 1.
ByteScale byteScaleFor(Bytes largest);

/// One unit for all the seconds of a table, so that they can be compared at a glance.
///     const TimeScale scale = timeScaleFor(step);
///     scale.text(0.25)  ->  "250.0"    scale.unit  ->  "ms"
struct TimeScale {
    std::string_view unit = "s";
    double seconds = 1.0;
    int decimals = 3;

    [[nodiscard]] std::string text(double value) const {
        return fmt::format("{:.{}f}", value / seconds, decimals);
    }
    [[nodiscard]] std::string withUnit(double value) const {
        return fmt::format("{} {}", text(value), unit);
    }
};

/// Milliseconds below one second.
constexpr TimeScale timeScaleFor(double largest) {
    return largest < 1.0 ? TimeScale{"ms", 1e-3, 2} : TimeScale{};
}

/// An axis of a chart: numbers from low to high, even or by powers of ten.
class ChartAxis {
public:
    /// With room around the values, which are finite, and positive where it is logarithmic.
    static ChartAxis around(std::span<const double> values, bool logarithmic);

    /// How far along the axis a value is: 0 at its low end, 1 at the high one.
    [[nodiscard]] double share(double value) const;
    [[nodiscard]] double low() const { return low_; }
    [[nodiscard]] double high() const { return high_; }
    /// Round numbers, some three to eight.
    [[nodiscard]] std::vector<double> ticks() const;

private:
    double low_ = 0.0;
    double high_ = 1.0;
    bool logarithmic_ = false;
};

/// "0.05", "12.5", "6,500", "1.2M".
std::string tickText(double value);

}  // namespace fabricast
