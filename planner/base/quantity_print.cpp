#include "planner/base/check.h"
#include "planner/base/quantity_text.h"
#include "planner/base/unit_table.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr int kShortDigits = 3;

/// A number in scientific form: d.ddd · 10^exponent; zero is {"0", 0}.
struct Scientific {
    std::string digits;
    int exponent = 0;
    bool negative = false;
};

/// Splits "-1.25e+03" as to_chars writes it.
Scientific fromText(std::string_view text) {
    Scientific number;
    number.negative = text.front() == '-';
    text.remove_prefix(number.negative ? 1 : 0);
    const std::size_t power = text.find('e');
    std::string_view exponent = text.substr(power + 1);
    exponent.remove_prefix(exponent.front() == '+' ? 1 : 0);
    std::from_chars(exponent.begin(), exponent.end(), number.exponent);
    for (const char letter : text.substr(0, power)) {
        if (letter != '.') {
            number.digits += letter;
        }
    }
    while (number.digits.size() > 1 && number.digits.back() == '0') {
        number.digits.pop_back();
    }
    return number;
}

Scientific exactly(double value) {
    FABRICAST_CHECK(std::isfinite(value));
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(
        buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
    return fromText({buffer.data(), end.ptr});
}

Scientific exactly(std::int64_t value) {
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    std::string text(buffer.data(), end.ptr);
    const std::size_t first = text.front() == '-' ? 1 : 0;
    return fromText(text + "e" + std::to_string(text.size() - first - 1));
}

Scientific rounded(double value, int digits) {
    FABRICAST_CHECK(std::isfinite(value));
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.data(),
                                   buffer.data() + buffer.size(),
                                   value,
                                   std::chars_format::scientific,
                                   digits - 1);
    return fromText({buffer.data(), end.ptr});
}

/// The digits with the decimal point moved `tens` places to the left: 1.25e3, 3 -> "1.25".
std::string positional(const Scientific& number, int tens) {
    const int point = number.exponent - tens + 1;
    std::string text = number.digits;
    if (point <= 0) {
        text.insert(0, static_cast<std::size_t>(1 - point), '0');
        text.insert(1, ".");
    } else if (static_cast<std::size_t>(point) < text.size()) {
        text.insert(static_cast<std::size_t>(point), ".");
    } else {
        text.append(static_cast<std::size_t>(point) - text.size(), '0');
    }
    return text;
}

/// "80 GiB", "15T", "$2.5/h".
std::string withUnit(const Dimension& dimension, const std::string& number, const UnitName& unit) {
    switch (dimension.style) {
        case Dimension::Style::Money:
            return "$" + number + unit.name.substr(1);
        case Dimension::Style::Count:
            return number + unit.name;
        case Dimension::Style::Spaced:
            break;
    }
    return number + " " + unit.name;
}

/// Units of ten that a number may be written in, smallest first: those of which there is at least
/// one, or else the smallest there is.
std::vector<const UnitName*> decimalUnits(const Dimension& dimension, int exponent) {
    std::vector<const UnitName*> units;
    for (const UnitName& unit : dimension.units) {
        if (unit.printed && unit.twos == 0 && (units.empty() || unit.tens <= exponent)) {
            units.push_back(&unit);
        }
    }
    FABRICAST_CHECK(!units.empty());
    return units;
}

/// In the given unit, or as a power of ten where that would be a long row of zeros.
std::string written(const Dimension& dimension, const Scientific& number, const UnitName& unit) {
    constexpr int kMostPlaces = 18;
    const int places = number.exponent - unit.tens;
    if (std::abs(places) <= kMostPlaces) {
        return withUnit(dimension, positional(number, unit.tens), unit);
    }
    return withUnit(
        dimension, positional(number, number.exponent) + "e" + std::to_string(places), unit);
}

std::string shortestDecimal(const Dimension& dimension, const Scientific& number) {
    std::string shortest;
    for (const UnitName* unit : decimalUnits(dimension, number.exponent)) {
        std::string text = written(dimension, number, *unit);
        if (shortest.empty() || text.size() <= shortest.size()) {
            shortest = std::move(text);
        }
    }
    return (number.negative ? "-" : "") + shortest;
}

std::string shortDecimal(const Dimension& dimension, double value) {
    const Scientific number = rounded(value, kShortDigits);
    const UnitName& unit = *decimalUnits(dimension, number.exponent).back();
    return (number.negative ? "-" : "") + written(dimension, number, unit);
}

/// A whole number of the largest binary unit that divides it, if that is shorter.
std::string orBinary(std::string decimal, const Dimension& dimension, std::int64_t value) {
    for (const UnitName& unit : dimension.units) {
        if (unit.twos > 0 && value != 0 && value % (std::int64_t{1} << unit.twos) == 0) {
            std::string text =
                withUnit(dimension, std::to_string(value / (std::int64_t{1} << unit.twos)), unit);
            if (text.size() < decimal.size()) {
                decimal = std::move(text);
            }
        }
    }
    return decimal;
}

std::string shortBinary(const Dimension& dimension, double value) {
    const UnitName* best = nullptr;
    for (const UnitName& unit : dimension.units) {
        // 1023.7 KiB is about to be written as 1024, so it is already 1 MiB.
        if (unit.twos > 0 && std::abs(value) >= std::ldexp(1.0, unit.twos) * (1 - 0.5 / 1024)) {
            best = &unit;
        }
    }
    if (best == nullptr) {
        return shortDecimal(dimension, value);
    }
    const double amount = std::ldexp(value, -best->twos);
    const Scientific number = rounded(amount, std::abs(amount) >= 999.5 ? 4 : kShortDigits);
    return (number.negative ? "-" : "") + withUnit(dimension, positional(number, 0), *best);
}

}  // namespace

template <class Q>
std::string quantityText(Q quantity) {
    const Dimension& dimension = dimensionOf<Q>();
    std::string text = shortestDecimal(dimension, exactly(quantity.count()));
    if constexpr (std::is_integral_v<typename Q::rep>) {
        return orBinary(std::move(text), dimension, quantity.count());
    }
    return text;
}

template <class Q>
std::string shortText(Q quantity) {
    return shortDecimal(dimensionOf<Q>(), static_cast<double>(quantity.count()));
}

template <>
std::string shortText<Bytes>(Bytes quantity) {
    return shortText(quantity, UnitStyle::Binary);
}

std::string shortText(Bytes size, UnitStyle style) {
    const auto value = static_cast<double>(size.count());
    return style == UnitStyle::Binary ? shortBinary(dimensionOf<Bytes>(), value)
                                      : shortDecimal(dimensionOf<Bytes>(), value);
}

template std::string quantityText<Bytes>(Bytes);
template std::string quantityText<BytesPerSecond>(BytesPerSecond);
template std::string quantityText<Flops>(Flops);
template std::string quantityText<FlopsPerSecond>(FlopsPerSecond);
template std::string quantityText<Seconds>(Seconds);
template std::string quantityText<Hertz>(Hertz);
template std::string quantityText<Watts>(Watts);
template std::string quantityText<Usd>(Usd);
template std::string quantityText<UsdPerHour>(UsdPerHour);
template std::string quantityText<Tokens>(Tokens);

template std::string shortText<BytesPerSecond>(BytesPerSecond);
template std::string shortText<Flops>(Flops);
template std::string shortText<FlopsPerSecond>(FlopsPerSecond);
template std::string shortText<Seconds>(Seconds);
template std::string shortText<Hertz>(Hertz);
template std::string shortText<Watts>(Watts);
template std::string shortText<Usd>(Usd);
template std::string shortText<UsdPerHour>(UsdPerHour);
template std::string shortText<Tokens>(Tokens);

}  // namespace fabricast
