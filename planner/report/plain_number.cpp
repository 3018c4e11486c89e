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

}  // namespace

std::string plainNumber(double value, int digits) {
    if (!std::isfinite(value) || value == 0.0) {
        return fmt::format("{:g}", value);
    }
    const int decimals = std::max(0, digits - 1 - powerOfTen(value, digits));
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (decimals > 0) {
        text.erase(text.find_last_not_of('0') + 1);
        text.erase(text.find_last_not_of('.') + 1);
    }
    separateThousands(text);
    return text;
}

std::string roundedNumber(double value, int digits) {
    if (!std::isfinite(value) || value == 0.0) {
        return plainNumber(value, digits);
    }
    const std::string text = fmt::format("{:.{}e}", value, digits - 1);
    double rounded = value;
    std::from_chars(text.data(), text.data() + text.size(), rounded);  // in no locale
    return plainNumber(rounded, digits);
}

}  // namespace fabricast
