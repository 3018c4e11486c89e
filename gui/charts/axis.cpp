#include "gui/charts/axis.h"

#include "planner/base/decimal_ticks.h"
#include "planner/base/quantity_text.h"
#include "planner/report/durations.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

/// Three digits of a number of any size: "0.412", "3.14", "1830".
std::string plainNumber(double value) {
    constexpr double kSmallest = 1e-9;
    constexpr double kLargest = 1e15;
    const double size = std::abs(value);
    if (size >= kLargest) {
        return exactNumber(value);
    }
    const int place = size >= kSmallest ? static_cast<int>(std::floor(std::log10(size))) : 0;
    const int decimals = std::max(2 - place, 0);
    const auto ticks = std::llround(size * std::pow(10.0, decimals));
    return (value < 0 && ticks != 0 ? "-" : "") + tickText(ticks, decimals);
}

/// "$0.34", "$12.5", "$1.2M"; tenths of cents where it is less than ten cents.
std::string dollars(double value) {
    constexpr double kTenCents = 0.1;
    constexpr double kManyDollars = 1000.0;
    const double size = std::abs(value);
    const std::string text = size < kTenCents      ? plainNumber(size)
                             : size < kManyDollars ? tickText(std::llround(size * 100.0), 2)
                                                   : shortText(Tokens(std::llround(size)));
    return (value < 0 ? "-$" : "$") + text;
}

/// Where an unbounded share would come from a number that a log axis does not have.
double positive(double value, const ValueRange& range) {
    return value > 0.0 ? value : range.low * 1e-9;
}

std::string_view baseUnit(AxisUnit unit) {
    switch (unit) {
        case AxisUnit::Percent:
            return "1 is 100 %";
        case AxisUnit::Bytes:
            return "B";
        case AxisUnit::BytesPerSecond:
            return "B/s";
        case AxisUnit::Seconds:
            return "s";
        case AxisUnit::FlopsPerSecond:
            return "FLOP/s";
        case AxisUnit::Watts:
            return "W";
        case AxisUnit::Usd:
            return "$";
        case AxisUnit::Number:
        case AxisUnit::Count:
        case AxisUnit::Gpus:
            break;
    }
    return {};
}

}  // namespace

std::string valueText(AxisUnit unit, double value) {
    if (!std::isfinite(value)) {
        return "not known";
    }
    switch (unit) {
        case AxisUnit::Percent:
            return plainNumber(value * 100.0) + " %";
        case AxisUnit::Count:
            return std::abs(value) < 100.0 ? plainNumber(value)
                                           : shortText(Tokens(std::llround(value)));
        case AxisUnit::Gpus:
            return plainNumber(std::round(value));
        case AxisUnit::Bytes:
            return shortText(Bytes(std::llround(value)));
        case AxisUnit::BytesPerSecond:
            return shortText(BytesPerSecond(value));
        case AxisUnit::Seconds:
            return value == 0.0  ? "0 s"
                   : value < 0.0 ? "-" + durationText(Seconds(-value))
                                 : durationText(Seconds(value));
        case AxisUnit::FlopsPerSecond:
            return shortText(FlopsPerSecond(value));
        case AxisUnit::Watts:
            return shortText(Watts(value));
        case AxisUnit::Usd:
            return dollars(value);
        case AxisUnit::Number:
            break;
    }
    return plainNumber(value);
}

std::string exactNumber(double value) {
    std::array<char, 40> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return std::isfinite(value) ? std::string(buffer.data(), end.ptr) : std::string();
}

std::string exactCaption(const std::string& title, AxisUnit unit) {
    const std::string_view base = baseUnit(unit);
    return base.empty() ? title : title + " (" + std::string(base) + ")";
}

std::string titleIntro(const std::string& title) {
    return title.empty() ? std::string() : title + ": ";
}

std::string axisCaption(const Axis& axis, const AxisTicks& ticks) {
    return ticks.unit.empty() ? axis.title : axis.title + " (" + ticks.unit + ")";
}

double shareOf(AxisScale scale, const ValueRange& range, double value) {
    if (scale == AxisScale::Linear) {
        return (value - range.low) / range.span();
    }
    return std::log(positive(value, range) / range.low) / std::log(range.high / range.low);
}

double valueAt(AxisScale scale, const ValueRange& range, double share) {
    if (scale == AxisScale::Linear) {
        return range.low + share * range.span();
    }
    return range.low * std::pow(range.high / range.low, share);
}

ValueRange roomyRange(AxisScale scale, const ValueRange& range) {
    constexpr double kMargin = 0.05;
    if (scale == AxisScale::Log) {
        const double high = range.high > 0.0 ? range.high : 1.0;
        const double low = range.low > 0.0 ? range.low : high * 1e-3;
        const double factor = low < high ? std::pow(high / low, kMargin) : 2.0;
        return {low / factor, high * factor};
    }
    const double size = std::max(std::abs(range.low), std::abs(range.high));
    const double span = range.span() > size * 1e-9 ? range.span() : std::max(size, 1e-12);
    const double low = range.low - kMargin * span;
    return {range.low >= 0.0 ? std::max(low, 0.0) : low, range.high + kMargin * span};
}

ValueRange zoomed(AxisScale scale, const ValueRange& range, double around, double factor) {
    const double centre = shareOf(scale, range, around);
    const ValueRange closer{valueAt(scale, range, centre - centre / factor),
                            valueAt(scale, range, centre + (1.0 - centre) / factor)};
    // So near that the ends are the same number, or so far that they are none.
    const double size = std::max(std::abs(closer.low), std::abs(closer.high));
    const bool distinct = closer.span() > size * 1e-9 && closer.span() < 1e30;
    return distinct ? closer : range;
}

ValueRange moved(AxisScale scale, const ValueRange& range, double share) {
    return {valueAt(scale, range, share), valueAt(scale, range, 1.0 + share)};
}

}  // namespace fabricast
