#include "gui/charts/axis.h"
#include "planner/base/decimal_ticks.h"
#include "planner/base/unit_table.h"
#include "planner/base/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

namespace fabricast {
namespace {

/// What the labels of an axis are in: "GiB" of 2^30. On every label where it is as short as "M".
struct LabelUnit {
    std::string prefix;
    std::string name;
    double size = 1.0;
    bool onLabels = false;
};

/// The largest printed unit that `largest` has one of; the smallest there is where none.
LabelUnit largestUnit(std::span<const UnitName> units, double largest, bool binary) {
    LabelUnit best;
    bool found = false;
    for (const UnitName& unit : units) {
        const double size = std::ldexp(std::pow(10.0, unit.tens), unit.twos);
        const bool usable = unit.printed && (unit.twos > 0 || !binary || unit.tens == 0);
        if (usable && (binary || unit.twos == 0) && (!found || largest >= size * 0.9999)) {
            best = {.name = unit.name, .size = size};
            found = true;
        }
    }
    return best;
}

/// Of a time, which is also counted in minutes, hours and days.
LabelUnit timeUnit(double largest) {
    struct LongUnit {
        double least;
        const char* unit;
        const char* name;
    };
    constexpr std::array kLong = {
        LongUnit{172800.0, "d", "days"}, LongUnit{7200.0, "h", "h"}, LongUnit{120.0, "min", "min"}};
    for (const LongUnit& one : kLong) {
        if (largest >= one.least) {
            const UnitName* unit = dimensionOf<Seconds>().find(one.unit);
            return {.name = one.name, .size = static_cast<double>(unit->times)};
        }
    }
    return largestUnit(dimensionOf<Seconds>().units, largest, false);
}

LabelUnit countUnit(double largest, std::string prefix) {
    LabelUnit unit = largest >= 1e4 || prefix.empty()
                         ? largestUnit(dimensionOf<Tokens>().units, largest, false)
                         : LabelUnit{};
    unit.prefix = std::move(prefix);
    unit.onLabels = true;
    return unit;
}

LabelUnit unitFor(AxisUnit unit, double largest) {
    switch (unit) {
        case AxisUnit::Percent:
            return {.name = " %", .size = 0.01, .onLabels = true};
        case AxisUnit::Count:
            return countUnit(largest, "");
        case AxisUnit::Usd:
            return countUnit(largest, "$");
        case AxisUnit::Bytes:
            return largestUnit(dimensionOf<Bytes>().units, largest, true);
        case AxisUnit::BytesPerSecond:
            return largestUnit(dimensionOf<BytesPerSecond>().units, largest, false);
        case AxisUnit::Seconds:
            return timeUnit(largest);
        case AxisUnit::FlopsPerSecond:
            return largestUnit(dimensionOf<FlopsPerSecond>().units, largest, false);
        case AxisUnit::Watts:
            return largestUnit(dimensionOf<Watts>().units, largest, false);
        case AxisUnit::Gpus:
        case AxisUnit::Number:
            break;
    }
    return {};
}

/// 1, 2 or 5 times a power of ten.
struct NiceStep {
    int times = 1;
    int tens = 0;
    [[nodiscard]] double size() const { return times * std::pow(10.0, tens); }
};

NiceStep niceStep(double least) {
    const int tens = static_cast<int>(std::floor(std::log10(least)));
    for (const int times : {1, 2, 5}) {
        const NiceStep step{times, tens};
        if (step.size() >= least * (1.0 - 1e-9)) {
            return step;
        }
    }
    return {1, tens + 1};
}

/// "5" with one decimal is "5.0", as its neighbours have one.
std::string withDecimals(std::string number, int decimals) {
    const std::size_t point = number.find('.');
    const std::size_t there = point == std::string::npos ? 0 : number.size() - point - 1;
    const auto wanted = static_cast<std::size_t>(decimals);
    if (there < wanted) {
        number += point == std::string::npos ? "." : "";
        number.append(wanted - there, '0');
    }
    return number;
}

std::string labelOf(const LabelUnit& unit, std::int64_t steps, const NiceStep& step) {
    std::int64_t ticks = std::abs(steps) * step.times;
    for (int tens = step.tens; tens > 0; --tens) {
        ticks *= 10;
    }
    std::string text = unit.prefix + withDecimals(tickText(ticks, std::max(-step.tens, 0)),
                                                  ticks == 0 ? 0 : std::max(-step.tens, 0));
    if (unit.onLabels && (ticks != 0 || unit.name.starts_with(' '))) {
        text += unit.name;
    }
    return (steps < 0 ? "-" : "") + text;
}

/// The multiples of a step from `low` to `high`, which are in the unit.
std::vector<Tick> ticksOfStep(const LabelUnit& unit,
                              double low,
                              double high,
                              const NiceStep& step) {
    std::vector<Tick> ticks;
    const double slack = 1e-9 * (high - low) / step.size();
    const auto last = static_cast<std::int64_t>(std::floor(high / step.size() + slack));
    for (auto at = static_cast<std::int64_t>(std::ceil(low / step.size() - slack)); at <= last;
         ++at) {
        ticks.push_back(
            {static_cast<double>(at) * step.size() * unit.size, labelOf(unit, at, step)});
    }
    return ticks;
}

AxisTicks linearTicks(const Axis& axis, const ValueRange& range, std::size_t most) {
    const double largest = std::max(std::abs(range.low), std::abs(range.high));
    const LabelUnit unit = unitFor(axis.unit, largest);
    const double low = range.low / unit.size;
    const double high = range.high / unit.size;
    const bool isWhole = axis.unit == AxisUnit::Gpus;
    const auto stepFor = [isWhole](double least) {
        const NiceStep step = niceStep(least);
        return isWhole && step.tens < 0 ? NiceStep{1, 0} : step;
    };
    NiceStep step = stepFor((high - low) / static_cast<double>(std::max<std::size_t>(most, 2)));
    std::vector<Tick> ticks = ticksOfStep(unit, low, high, step);
    // One label alone says no scale: the next finer step has two or more.
    for (int finer = 0; ticks.size() < 2 && finer < 2; ++finer) {
        step = stepFor(step.size() * 0.4);
        ticks = ticksOfStep(unit, low, high, step);
    }
    if (ticks.size() > most && ticks.size() > 2) {
        ticks.resize(std::max<std::size_t>(most, 2));  // both ends are round
    }
    return {.ticks = std::move(ticks), .unit = unit.onLabels ? std::string() : unit.name};
}

/// Powers of two, every so many that no more than `most` remain.
AxisTicks doublingTicks(const Axis& axis, const ValueRange& range, std::size_t most) {
    const int first = static_cast<int>(std::ceil(std::log2(range.low) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log2(range.high) + 1e-9));
    AxisTicks ticks;
    for (const int every : {1, 2, 5, 10, 20, 40}) {
        const int start = first + ((every - first % every) % every);
        if ((last - start) / every + 1 > static_cast<int>(most)) {
            continue;
        }
        for (int power = start; power <= last; power += every) {
            const double value = std::ldexp(1.0, power);
            ticks.ticks.push_back({value,
                                   axis.unit == AxisUnit::Gpus && power >= 0
                                       ? tickText(std::int64_t{1} << power, 0)
                                       : valueText(axis.unit, value)});
        }
        break;
    }
    return ticks;
}

/// The multiples of each power of ten that are ticks, finest first.
constexpr std::array<std::array<int, 3>, 3> kMultiples = {{{1, 2, 5}, {1, 3, 0}, {1, 0, 0}}};

std::vector<Tick> decadeTicks(const Axis& axis,
                              const ValueRange& range,
                              const std::array<int, 3>& multiples,
                              int every) {
    const int first = static_cast<int>(std::floor(std::log10(range.low)));
    const int last = static_cast<int>(std::floor(std::log10(range.high) + 1e-9));
    std::vector<Tick> ticks;
    for (int tens = first - (first % every + every) % every; tens <= last; tens += every) {
        for (const int times : multiples) {
            const double value = times * std::pow(10.0, tens);
            if (times != 0 && value >= range.low * (1 - 1e-9) && value <= range.high * (1 + 1e-9)) {
                ticks.push_back({value, valueText(axis.unit, value)});
            }
        }
    }
    return ticks;
}

AxisTicks logTicks(const Axis& axis, const ValueRange& range, std::size_t most) {
    if (axis.unit == AxisUnit::Bytes || axis.unit == AxisUnit::Gpus) {
        return doublingTicks(axis, range, most);
    }
    for (const auto& multiples : kMultiples) {
        std::vector<Tick> ticks = decadeTicks(axis, range, multiples, 1);
        if (ticks.size() <= most) {
            return {.ticks = std::move(ticks), .unit = {}};
        }
    }
    int every = 2;
    std::vector<Tick> ticks = decadeTicks(axis, range, kMultiples.back(), every);
    while (ticks.size() > most && every < 100) {
        ticks = decadeTicks(axis, range, kMultiples.back(), ++every);
    }
    return {.ticks = std::move(ticks), .unit = {}};
}

}  // namespace

AxisTicks axisTicks(const Axis& axis, const ValueRange& range, std::size_t most) {
    const bool usable =
        std::isfinite(range.low) && std::isfinite(range.high) && range.span() > 0.0 && most > 0;
    if (!usable) {
        return {};
    }
    if (axis.scale == AxisScale::Linear) {
        return linearTicks(axis, range, most);
    }
    AxisTicks ticks = range.low > 0.0 ? logTicks(axis, range, most) : AxisTicks{};
    // Within less than an octave or decade, round numbers are better than one power or none.
    return ticks.ticks.size() >= 2 || range.low <= 0.0 ? ticks : linearTicks(axis, range, most);
}

}  // namespace fabricast
