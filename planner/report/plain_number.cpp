#include "planner/report/plain_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace fabricast {
namespace {

/// Of the first digit: 3 of "1234.5", after rounding to so many digits.
int powerOfTen(double value, int digits) {
    const std::string text = fmt::format("{:.{}e}", value, digits - 1);
    return std::atoi(text.c_str() + text.find('e') + 1);
}

void separateThousands(std::string& text) {
    const std::size_t first = text.front() == '-' ? 1 : 0;
    for (std::size_t place = std::min(text.find('.'), text.size()); place > first + 3; place -= 3) {
        text.insert(place - 3, ",");
    }
}

/// With so many digits or all before the point, whether or not the last ones are zeros.
std::string withDigits(double value, int digits) {
    if (!std::isfinite(value) || value == 0.0) {
        return fmt::format("{:g}", value);
    }
    const int decimals = std::max(0, digits - 1 - powerOfTen(value, digits));
    std::string text = fmt::format("{:.{}f}", value, decimals);
    separateThousands(text);
    return text;
}

double rounded(double value, int digits) {
    if (!std::isfinite(value)) {
        return value;
    }
    const std::string text = fmt::format("{:.{}e}", value, digits - 1);
    double result = value;
    std::from_chars(text.data(), text.data() + text.size(), result);  // in no locale
    return result;
}

}  // namespace

std::string plainNumber(double value, int digits) {
    std::string text = withDigits(value, digits);
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        text.erase(text.find_last_not_of('.') + 1);
    }
    return text;
}

std::string roundedNumber(double value, int digits) {
    return plainNumber(rounded(value, digits), digits);
}

std::string forecastNumber(double value, int digits) {
    return std::round(value) == value ? roundedNumber(value, digits)
                                      : withDigits(rounded(value, digits), digits);
}

}  // namespace fabricast
