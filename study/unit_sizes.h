#pragma once

namespace fabricast {

inline constexpr double kSecondsPerDay = 86400.0;
inline constexpr double kSecondsPerHour = 3600.0;
inline constexpr double kDaysPerHour = kSecondsPerHour / kSecondsPerDay;
inline constexpr double kJoulesPerKwh = 3.6e6;

}  // namespace fabricast
