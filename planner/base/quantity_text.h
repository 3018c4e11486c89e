#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

namespace fabricast {

/// A quantity as people write it: a number and a unit, decimal (GB) and binary (GiB) kept apart.
///     parseQuantity<Bytes>("80 GiB")            -> 85899345920 bytes
///     parseQuantity<BytesPerSecond>("400 Gbps") -> 50e9 bytes per second
///     parseQuantity<Tokens>("15T")              -> 15 000 000 000 000 tokens
///     quantityText(50_GBps)                     -> "50 GB/s"
///     shortText(71'777'777'777_B)               -> "66.8 GiB"
/// Known for Bytes, BytesPerSecond, Flops, FlopsPerSecond, Seconds, Hertz, Watts, Usd, UsdPerHour
/// and Tokens. A size or count that is not whole is rounded to the nearest; nothing may be
/// negative. `where` is what the error points at: a flag, a key, or file:line:column.
template <class Q>
Result<Q> parseQuantity(std::string_view text, std::string_view where = {});

/// The shortest text that parses back to exactly this (finite) quantity.
template <class Q>
std::string quantityText(Q quantity);

enum class UnitStyle { Decimal, Binary };

/// Three significant digits, for people; sizes in GiB or in GB.
template <class Q>
std::string shortText(Q quantity);
std::string shortText(Bytes size, UnitStyle style);

/// "12.3 %"
inline std::string percentText(double share) {
    constexpr std::size_t kLongest = 330;  // of a double without an exponent
    std::array<char, kLongest> text{};
    const auto written = std::to_chars(
        text.data(), text.data() + text.size(), 100.0 * share, std::chars_format::fixed, 1);
    return std::string(text.data(), written.ptr) + " %";
}

}  // namespace fabricast
