#pragma once
#include "planner/base/units.h"

#include <string>

namespace fabricast {

/// Two times in the unit that `durationText` has for a third one: "0.98 – 1.04 s". Empty where both
/// read the same.
std::string durationRange(Seconds low, Seconds high, Seconds like);

inline constexpr double kHour = 3600.0;  ///< seconds
inline constexpr double kDay = 86400.0;  ///< seconds
inline constexpr double kKwh = 3.6e6;    ///< joules

/// What the length of a run is read in: days, of less than one hours, of less than one minutes. A
/// table has that of its first run for all.
struct RunUnit {
    double seconds = kDay;
    const char* name = "days";
};
RunUnit runUnitOf(Seconds time);
/// "7.34 days", "18.4 h", "27.3 min".
std::string runText(Seconds time);
/// "7.06 – 8.67 days", in the unit of a third one; empty where both read the same.
std::string runRange(Seconds low, Seconds high, Seconds like);

/// Three digits of a time that may be a millisecond or a year: "7.34 ms", "12.8 s", "18.4 min",
/// "3.09 h", "264 days", and "never".
std::string durationText(Seconds time);

}  // namespace fabricast
