#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

// GCC takes scoped names for those of planner/base/units.h.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// What the numbers along an axis count; they are in the base unit (bytes, seconds, …).
enum class AxisUnit : std::uint8_t {
    Number,
    Percent,  ///< 0.41 is 41 %
    Count,    ///< tokens: 1.13M
    Gpus,     ///< 4096; a log axis doubles
    Bytes,    ///< GiB
    BytesPerSecond,
    Seconds,
    FlopsPerSecond,
    Watts,
    Usd
};
#pragma GCC diagnostic pop

enum class AxisScale : std::uint8_t { Linear, Log };

/// What an axis shows.
///     const Axis axis{.title = "peak memory", .unit = AxisUnit::Bytes};
struct Axis {
    std::string title;
    AxisUnit unit = AxisUnit::Number;
    AxisScale scale = AxisScale::Linear;
};

/// Which direction is better.
enum class BetterEnd : std::uint8_t { Low, High };

struct ValueRange {
    double low = 0.0;
    double high = 1.0;

    [[nodiscard]] double span() const { return high - low; }
    [[nodiscard]] bool contains(double value) const { return low <= value && value <= high; }
    friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

struct Tick {
    double value = 0.0;
    std::string label;
};

/// Ticks at round values within a range, and the unit that all their labels are in ("GiB"; empty
/// where each label has its own).
struct AxisTicks {
    std::vector<Tick> ticks;
    std::string unit;
};

/// At most `most` ticks, and at least two where the range has two round values.
AxisTicks axisTicks(const Axis& axis, const ValueRange& range, std::size_t most);
/// "peak memory (GiB)".
std::string axisCaption(const Axis& axis, const AxisTicks& ticks);
/// With the unit that `exactNumber` is in: "peak memory (B)".
std::string exactCaption(const std::string& title, AxisUnit unit);
/// What a description begins with: "Memory: "; nothing where there is no title.
std::string titleIntro(const std::string& title);
/// One value with its unit, as in a tooltip: "71.8 GiB", "41 %", "1.13M".
std::string valueText(AxisUnit unit, double value);
/// As it is, for CSV; empty where it is not known.
std::string exactNumber(double value);

/// From 0 to 1 along the range, and back.
double shareOf(AxisScale scale, const ValueRange& range, double value);
double valueAt(AxisScale scale, const ValueRange& range, double share);

/// The smallest range with all of it, and some space on each side; never empty.
ValueRange roomyRange(AxisScale scale, const ValueRange& range);
/// Magnified by a factor around a value, which stays where it is.
ValueRange zoomed(AxisScale scale, const ValueRange& range, double around, double factor);
/// Moved by a share of its length.
ValueRange moved(AxisScale scale, const ValueRange& range, double share);

}  // namespace fabricast
