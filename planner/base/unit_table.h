#pragma once
#include "planner/base/units.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// One unit as it is written: one of it is 10^tens · 2^twos · times of the base unit.
struct UnitName {
    std::string name;
    int tens = 0;
    int twos = 0;
    int times = 1;
    bool printed = false;  ///< used when a number is written; the others are only understood
};

/// What one kind of quantity may be written in.
struct Dimension {
    enum class Style { Spaced, Count, Money };  ///< "80 GiB", "15T", "$2.5/h"

    Style style = Style::Spaced;
    std::string_view noun;                 ///< "a size"
    std::string_view example;              ///< "80 GiB"
    std::vector<std::string> suggestions;  ///< the units to offer when one is missing
    std::vector<UnitName> units;

    [[nodiscard]] const UnitName* find(std::string_view name) const;
};

/// The table of the dimension that `Q` is (Bytes, Seconds, Watts, ...).
template <class Q>
const Dimension& dimensionOf();
template <>
const Dimension& dimensionOf<Bytes>();
template <>
const Dimension& dimensionOf<BytesPerSecond>();
template <>
const Dimension& dimensionOf<Flops>();
template <>
const Dimension& dimensionOf<FlopsPerSecond>();
template <>
const Dimension& dimensionOf<Seconds>();
template <>
const Dimension& dimensionOf<Hertz>();
template <>
const Dimension& dimensionOf<Watts>();
template <>
const Dimension& dimensionOf<Usd>();
template <>
const Dimension& dimensionOf<UsdPerHour>();
template <>
const Dimension& dimensionOf<Tokens>();

}  // namespace fabricast
