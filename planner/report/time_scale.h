#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace fabricast {

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

}  // namespace fabricast
