#include "planner/base/unit_table.h"

#include "planner/base/units.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace fabricast {
namespace {

struct Prefix {
    std::string_view name;
    int tens = 0;
    int twos = 0;
    bool printed = true;
};

constexpr std::array kNone = {Prefix{""}};
constexpr std::array kDecimal = {Prefix{"", 0},
                                 Prefix{"k", 3},
                                 Prefix{"K", 3, 0, false},
                                 Prefix{"M", 6},
                                 Prefix{"G", 9},
                                 Prefix{"T", 12},
                                 Prefix{"P", 15},
                                 Prefix{"E", 18}};
constexpr std::array kBeyond = {Prefix{"Z", 21}, Prefix{"Y", 24}};
constexpr std::array kBinary = {Prefix{"Ki", 0, 10},
                                Prefix{"Mi", 0, 20},
                                Prefix{"Gi", 0, 30},
                                Prefix{"Ti", 0, 40},
                                Prefix{"Pi", 0, 50},
                                Prefix{"Ei", 0, 60}};
constexpr std::array kSmall = {Prefix{"p", -12},
                               Prefix{"n", -9},
                               Prefix{"u", -6},
                               Prefix{"\u00b5", -6, 0, false},  // micro sign
                               Prefix{"\u03bc", -6, 0, false},  // Greek mu
                               Prefix{"m", -3},
                               Prefix{""}};
/// Counts of tokens and parameters: B is a billion here.
constexpr std::array kCount = {Prefix{""},
                               Prefix{"k", 3},
                               Prefix{"K", 3, 0, false},
                               Prefix{"M", 6},
                               Prefix{"B", 9},
                               Prefix{"T", 12}};

/// Joins every prefix to the base name; `twos` shifts the base itself (a bit is 2^-3 bytes).
std::vector<UnitName> prefixed(std::string_view base,
                               std::span<const Prefix> prefixes,
                               bool printed,
                               int twos = 0) {
    std::vector<UnitName> units;
    for (const Prefix& prefix : prefixes) {
        units.push_back({.name = std::string(prefix.name) + std::string(base),
                         .tens = prefix.tens,
                         .twos = prefix.twos + twos,
                         .printed = printed && prefix.printed});
    }
    return units;
}

std::vector<UnitName> joined(std::initializer_list<std::vector<UnitName>> lists) {
    std::vector<UnitName> all;
    for (const std::vector<UnitName>& list : lists) {
        all.insert(all.end(), list.begin(), list.end());
    }
    return all;
}

constexpr int kBits = -3;

}  // namespace

const UnitName* Dimension::find(std::string_view name) const {
    const auto unit = std::ranges::find(units, name, &UnitName::name);
    return unit == units.end() ? nullptr : &*unit;
}

template <>
const Dimension& dimensionOf<Bytes>() {
    static const Dimension kSizes{
        Dimension::Style::Spaced,
        "a size",
        "80 GiB",
        {"GB", "GiB"},
        joined({prefixed("B", kDecimal, true), prefixed("B", kBinary, true)})};
    return kSizes;
}

template <>
const Dimension& dimensionOf<BytesPerSecond>() {
    static const Dimension kRates{Dimension::Style::Spaced,
                                  "a bandwidth",
                                  "450 GB/s",
                                  {"GB/s", "Gbps"},
                                  joined({prefixed("B/s", kDecimal, true),
                                          prefixed("B/s", kBinary, false),
                                          prefixed("Bps", kDecimal, false),
                                          prefixed("bps", kDecimal, false, kBits),
                                          prefixed("b/s", kDecimal, false, kBits),
                                          prefixed("bit/s", kDecimal, false, kBits)})};
    return kRates;
}

template <>
const Dimension& dimensionOf<Flops>() {
    static const Dimension kWork{Dimension::Style::Spaced,
                                 "an amount of arithmetic",
                                 "3.8 YFLOP",
                                 {"TFLOP", "EFLOP"},
                                 joined({prefixed("FLOP", kDecimal, true),
                                         prefixed("FLOP", kBeyond, true),
                                         prefixed("FLOPs", kDecimal, false),
                                         prefixed("FLOPs", kBeyond, false)})};
    return kWork;
}

template <>
const Dimension& dimensionOf<FlopsPerSecond>() {
    static const Dimension kSpeeds{Dimension::Style::Spaced,
                                   "a speed of arithmetic",
                                   "989 TFLOP/s",
                                   {"TFLOP/s"},
                                   joined({prefixed("FLOP/s", kDecimal, true),
                                           prefixed("FLOPs/s", kDecimal, false),
                                           prefixed("FLOPS", kDecimal, false)})};
    return kSpeeds;
}

template <>
const Dimension& dimensionOf<Seconds>() {
    static const Dimension kTimes{Dimension::Style::Spaced,
                                  "a time",
                                  "1.5 us",
                                  {"s", "us"},
                                  joined({prefixed("s", kSmall, true),
                                          {{.name = "min", .times = 60},
                                           {.name = "h", .times = 3600},
                                           {.name = "hour", .times = 3600},
                                           {.name = "hours", .times = 3600},
                                           {.name = "d", .times = 86400},
                                           {.name = "day", .times = 86400},
                                           {.name = "days", .times = 86400},
                                           {.name = "w", .times = 604800},
                                           {.name = "week", .times = 604800},
                                           {.name = "weeks", .times = 604800},
                                           {.name = "y", .times = 31557600}}})};
    return kTimes;
}

template <>
const Dimension& dimensionOf<Hertz>() {
    static const Dimension kClocks{Dimension::Style::Spaced,
                                   "a clock",
                                   "1830 MHz",
                                   {"MHz", "GHz"},
                                   prefixed("Hz", kDecimal, true)};
    return kClocks;
}

template <>
const Dimension& dimensionOf<Watts>() {
    static const Dimension kPowers{
        Dimension::Style::Spaced,
        "a power",
        "700 W",
        {"W", "kW"},
        joined({{{.name = "mW", .tens = -3, .printed = true}}, prefixed("W", kDecimal, true)})};
    return kPowers;
}

template <>
const Dimension& dimensionOf<Usd>() {
    static const Dimension kMoney{
        Dimension::Style::Money,
        "an amount of money",
        "$2.5",
        {"USD"},
        joined({prefixed("$", kNone, true), prefixed("USD", kNone, false)})};
    return kMoney;
}

template <>
const Dimension& dimensionOf<UsdPerHour>() {
    static const Dimension kPrices{Dimension::Style::Money,
                                   "a price per hour",
                                   "$2.5/h",
                                   {"USD/h"},
                                   joined({prefixed("$/h", kNone, true),
                                           prefixed("$/hour", kNone, false),
                                           prefixed("USD/h", kNone, false),
                                           prefixed("USD/hour", kNone, false)})};
    return kPrices;
}

template <>
const Dimension& dimensionOf<Tokens>() {
    static const Dimension kTokens{Dimension::Style::Count,
                                   "a number of tokens",
                                   "15T",
                                   {""},
                                   joined({prefixed("", kCount, true),
                                           prefixed("", kBinary, true),
                                           {{.name = "million", .tens = 6},
                                            {.name = "billion", .tens = 9},
                                            {.name = "trillion", .tens = 12}}})};
    return kTokens;
}

}  // namespace fabricast
