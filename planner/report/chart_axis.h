#pragma once
#include <span>
#include <string>
#include <vector>

namespace fabricast {

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
