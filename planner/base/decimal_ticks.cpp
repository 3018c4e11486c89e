#include "planner/base/decimal_ticks.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace fabricast {
namespace {

constexpr std::size_t kMostDecimals = 6;

}  // namespace

Result<Decimal> parseDecimal(std::string_view text, const std::string& where) {
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
    const std::string digits = std::string(text.substr(0, point)) + std::string(fraction);
    const bool plain = std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
    Decimal number{0, static_cast<int>(std::min(fraction.size(), kMostDecimals))};
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number.digits);
    if (!plain || digits.empty() || read.ec != std::errc() || fraction.size() > kMostDecimals) {
        return fail(Error::Code::BadInput,
                    where,
                    "\"" + std::string(text) + "\" is not a duration",
                    "a number from 0 on without a unit, with at most " +
                        std::to_string(kMostDecimals) + " decimals: 41 or 1.25");
    }
    return number;
}

Result<std::int64_t> ticksOf(Decimal number, int decimals, const std::string& where) {
    std::int64_t ticks = number.digits;
    for (int i = number.decimals; i < decimals && ticks <= kMostTicks; ++i) {
        ticks *= 10;
    }
    if (ticks > kMostTicks) {
        return fail(Error::Code::BadInput,
                    where,
                    "a duration is too long to count exactly",
                    "a larger unit, or fewer decimals");
    }
    return ticks;
}

std::string tickText(std::int64_t ticks, int decimals) {
    std::string text = std::to_string(ticks);
    const auto after = static_cast<std::size_t>(decimals);
    if (after == 0) {
        return text;
    }
    if (text.size() <= after) {
        text.insert(0, after + 1 - text.size(), '0');
    }
    text.insert(text.size() - after, ".");
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
        text.pop_back();
    }
    return text;
}

}  // namespace fabricast
