#include "planner/base/letters.h"
#include "planner/base/nearest_name.h"
#include "planner/base/quantity_text.h"
#include "planner/base/unit_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {
namespace {

constexpr std::size_t kLongestText = 100;

__extension__ using Wide = unsigned __int128;

/// A decimal number as written: digits · 10^exponent, no zeros at either end; zero has no digits.
struct WrittenNumber {
    std::string digits;
    int exponent = 0;
};

/// The two halves of "80 GiB".
struct Halves {
    std::string_view number;
    std::string_view unit;
};

/// What every error about one text needs.
struct Subject {
    std::string_view text;
    std::string_view where;
    const Dimension& dimension;

    [[nodiscard]] tl::unexpected<Error> wrong(const std::string& why, std::string hint = {}) const {
        if (hint.empty()) {
            hint = "for example \"" + std::string(dimension.example) + "\"";
        }
        return fail(Error::Code::BadInput,
                    std::string(where),
                    "\"" + std::string(text.substr(0, 60)) + "\" " + why,
                    std::move(hint));
    }
};

bool isSpace(char letter) {
    return letter == ' ' || letter == '\t';
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && isSpace(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && isSpace(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// The length of "12", "1.5", ".5" or "1e-6" at the start of the text. The E of "5 EB" is a unit.
std::size_t numberLength(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && (isDigit(text[end]) || text[end] == '.')) {
        ++end;
    }
    if (end == 0 || end == text.size() || (text[end] != 'e' && text[end] != 'E')) {
        return end;
    }
    std::size_t power = end + 1;
    if (power < text.size() && (text[power] == '+' || text[power] == '-')) {
        ++power;
    }
    const std::size_t firstDigit = power;
    while (power < text.size() && isDigit(text[power])) {
        ++power;
    }
    return power > firstDigit ? power : end;
}

Halves split(std::string_view text) {
    const std::size_t length = numberLength(text);
    return {text.substr(0, length), trimmed(text.substr(length))};
}

std::optional<WrittenNumber> readDecimal(std::string_view number) {
    WrittenNumber decimal;
    const std::size_t power = number.find_first_of("eE");
    if (power != std::string_view::npos) {
        std::string_view digits = number.substr(power + 1);
        digits.remove_prefix(digits.front() == '+' ? 1 : 0);
        const auto read = std::from_chars(digits.begin(), digits.end(), decimal.exponent);
        if (read.ec != std::errc() || std::abs(decimal.exponent) > 9999) {
            return std::nullopt;
        }
        number = number.substr(0, power);
    }
    const std::size_t point = number.find('.');
    if (point != std::string_view::npos) {
        decimal.exponent -= static_cast<int>(number.size() - point - 1);
        decimal.digits = std::string(number.substr(0, point));
        number = number.substr(point + 1);
    }
    decimal.digits += number;
    decimal.digits.erase(0, decimal.digits.find_first_not_of('0'));
    while (!decimal.digits.empty() && decimal.digits.back() == '0') {
        decimal.digits.pop_back();
        ++decimal.exponent;
    }
    return decimal;
}

Result<double> scaled(const WrittenNumber& decimal,
                      const UnitName& unit,
                      const Subject& subject,
                      double) {
    if (decimal.digits.empty()) {
        return 0.0;
    }
    const std::string text = decimal.digits + "e" + std::to_string(decimal.exponent + unit.tens);
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    value = std::ldexp(value, unit.twos) * unit.times;
    if (read.ec != std::errc() || !std::isfinite(value) || value == 0) {
        return subject.wrong("is too large");
    }
    return value;
}

/// Exact in 128 bits: at most 19 digits times 2^60, over a power of ten.
Result<std::int64_t> scaled(const WrittenNumber& decimal,
                            const UnitName& unit,
                            const Subject& subject,
                            std::int64_t) {
    constexpr std::size_t kMostDigits = 19;
    const int tens = decimal.exponent + unit.tens;
    if (decimal.digits.size() > kMostDigits) {
        return subject.wrong("has more than 19 digits");
    }
    std::uint64_t mantissa = 0;
    std::from_chars(decimal.digits.data(), decimal.digits.data() + decimal.digits.size(), mantissa);
    Wide value = Wide{mantissa} << unit.twos;
    Wide divisor = 1;
    for (int power = 0; power < std::abs(tens) && value != 0; ++power) {
        Wide& grown = tens > 0 ? value : divisor;
        if (__builtin_mul_overflow(grown, Wide{10}, &grown)) {
            return subject.wrong(tens > 0 ? "does not fit 64 bits" : "is less than one");
        }
    }
    const bool whole = value % divisor == 0;
    if (!whole && unit.tens == 0 && unit.twos == 0) {
        return subject.wrong("is not a whole number");
    }
    const Wide rounded = (value + divisor / 2) / divisor;
    if (!whole && rounded == 0) {
        return subject.wrong("is less than one");
    }
    if (rounded > Wide{std::numeric_limits<std::int64_t>::max()}) {
        return subject.wrong("does not fit 64 bits");
    }
    return static_cast<std::int64_t>(rounded);
}

/// `write "80 GB" or "80 GiB"`.
std::string missingUnitHint(std::string_view number, const Dimension& dimension) {
    std::string hint = "write ";
    // None of some has no unit to say, and is none of most.
    const std::string some =
        number.find_first_of("123456789") == std::string_view::npos ? "1" : std::string(number);
    for (const std::string& unit : dimension.suggestions) {
        hint += (hint.size() > 6 ? " or \"" : "\"") + some + " " + unit + "\"";
    }
    return hint;
}

Result<const UnitName*> findUnit(const Halves& halves, const Subject& subject) {
    const Dimension& dimension = subject.dimension;
    if (const UnitName* unit = dimension.find(halves.unit)) {
        return unit;
    }
    if (halves.unit.empty()) {
        return subject.wrong("has no unit", missingUnitHint(halves.number, dimension));
    }
    if (halves.unit.front() == ',' || halves.unit.front() == '_') {
        return subject.wrong("is not a number with a unit",
                             "write the number without separators and with a decimal point");
    }
    std::vector<std::string> names;
    for (const UnitName& unit : dimension.units) {
        if (!unit.name.empty()) {
            names.push_back(unit.name);
        }
    }
    const std::string nearest = nearestName(halves.unit, names);
    const std::string why = "is not " + std::string(dimension.noun) + ": \"" +
                            std::string(halves.unit.substr(0, 60)) + "\" is not a unit of it";
    return nearest.empty()
               ? subject.wrong(why)
               : subject.wrong(
                     why, "did you mean \"" + std::string(halves.number) + " " + nearest + "\"?");
}

/// "$2.5/h" is read as "2.5 $/h".
Halves splitMoney(std::string_view text, std::string& unit) {
    if (text.empty() || text.front() != '$') {
        return split(text);
    }
    Halves halves = split(trimmed(text.substr(1)));
    unit = "$" + std::string(halves.unit);
    return {halves.number, unit};
}

}  // namespace

template <class Q>
Result<Q> parseQuantity(std::string_view text, std::string_view where) {
    const Subject subject{text, where, dimensionOf<Q>()};
    std::string moneyUnit;
    const std::string_view body = trimmed(text);
    if (body.empty()) {
        return subject.wrong("is empty");
    }
    if (body.size() > kLongestText) {
        return subject.wrong("is too long for a quantity");
    }
    if (body.front() == '-') {
        return subject.wrong("is negative");
    }
    const Halves halves = splitMoney(body, moneyUnit);
    if (halves.number.empty() || std::ranges::count(halves.number, '.') > 1 ||
        std::ranges::none_of(halves.number, isDigit)) {
        return subject.wrong("is not a number with a unit");
    }
    FABRICAST_ASSIGN(const UnitName* unit, findUnit(halves, subject));
    const std::optional<WrittenNumber> decimal = readDecimal(halves.number);
    if (!decimal) {
        return subject.wrong("is too large");
    }
    FABRICAST_ASSIGN(const auto value, scaled(*decimal, *unit, subject, typename Q::rep{}));
    return Q(value);
}

template Result<Bytes> parseQuantity<Bytes>(std::string_view, std::string_view);
template Result<BytesPerSecond> parseQuantity<BytesPerSecond>(std::string_view, std::string_view);
template Result<Flops> parseQuantity<Flops>(std::string_view, std::string_view);
template Result<FlopsPerSecond> parseQuantity<FlopsPerSecond>(std::string_view, std::string_view);
template Result<Seconds> parseQuantity<Seconds>(std::string_view, std::string_view);
template Result<Hertz> parseQuantity<Hertz>(std::string_view, std::string_view);
template Result<Watts> parseQuantity<Watts>(std::string_view, std::string_view);
template Result<Usd> parseQuantity<Usd>(std::string_view, std::string_view);
template Result<UsdPerHour> parseQuantity<UsdPerHour>(std::string_view, std::string_view);
template Result<Tokens> parseQuantity<Tokens>(std::string_view, std::string_view);

}  // namespace fabricast
