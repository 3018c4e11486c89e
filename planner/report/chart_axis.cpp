#include "planner/report/plain_number.h"
#include "planner/report/scales.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricast {
namespace {

/// 1, 2 or 5 times a power of ten: the smallest that divides a length into at most six.
double roundStep(double length) {
    constexpr double kParts = 6.0;
    const double power = std::pow(10.0, std::floor(std::log10(length / kParts)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (length <= kParts * factor * power) {
            return factor * power;
        }
    }
    return 10.0 * power;
}

}  // namespace

ChartAxis ChartAxis::around(std::span<const double> values, bool logarithmic) {
    constexpr double kRoom = 0.08;
    ChartAxis axis;
    axis.logarithmic_ = logarithmic;
    if (values.empty()) {
        axis.low_ = logarithmic ? 1.0 : 0.0;
        axis.high_ = logarithmic ? 10.0 : 1.0;
        return axis;
    }
    const auto [least, most] = std::ranges::minmax(values);
    if (logarithmic) {
        axis.low_ = least / 1.5;
        axis.high_ = most * 1.5;
        return axis;
    }
    const double length = most > least ? most - least : std::max(1.0, std::abs(most));
    axis.low_ = least >= 0.0 ? std::max(0.0, least - kRoom * length) : least - kRoom * length;
    axis.high_ = most + kRoom * length;
    return axis;
}

double ChartAxis::share(double value) const {
    return logarithmic_ ? std::log(value / low_) / std::log(high_ / low_)
                        : (value - low_) / (high_ - low_);
}

std::vector<double> ChartAxis::ticks() const {
    std::vector<double> ticks;
    if (!logarithmic_) {
        const double step = roundStep(high_ - low_);
        for (double at = std::ceil(low_ / step); at * step <= high_; at += 1.0) {
            ticks.push_back(at * step);
        }
        return ticks;
    }
    const double decades = std::log10(high_ / low_);
    for (double power = std::floor(std::log10(low_)); power <= std::log10(high_); power += 1.0) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double tick = factor * std::pow(10.0, power);
            const bool isShown = factor == 1.0 || decades < 3.0;
            if (isShown && tick >= low_ && tick <= high_) {
                ticks.push_back(tick);
            }
        }
    }
    return ticks;
}

std::string tickText(double value) {
    struct Unit {
        double size;
        const char* letter;
    };
    for (const Unit& unit : {Unit{1e12, "T"}, Unit{1e9, "B"}, Unit{1e6, "M"}}) {
        if (std::abs(value) >= unit.size) {
            return plainNumber(value / unit.size, 6) + unit.letter;
        }
    }
    return plainNumber(value, 4);
}

}  // namespace fabricast
