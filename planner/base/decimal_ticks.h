#pragma once
#include "planner/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fabricast {

/// This is a number as it was typed, before it is known how many decimals the other numbers
/// have; with the most of them, all become whole ticks, whose sums are exact.
///     "1.25" and "3"  →  125 and 300 ticks of two decimals
struct Decimal {
    std::int64_t digits = 0;
    int decimals = 0;
};

/// The largest number of ticks: 16 million of them add up within 64 bits.
inline constexpr std::int64_t kMostTicks = 100'000'000'000;

/// A number from 0 on with at most six decimals; `where` is its flag or key.
Result<Decimal> parseDecimal(std::string_view text, const std::string& where);
Result<std::int64_t> ticksOf(Decimal number, int decimals, const std::string& where);

/// 1250 ticks of two decimals are "12.5".
std::string tickText(std::int64_t ticks, int decimals);

}  // namespace fabricast
