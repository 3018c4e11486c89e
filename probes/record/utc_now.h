#pragma once
#include <array>
#include <ctime>
#include <string>

namespace fabricast {

/// A time of UTC as strftime writes it.
inline std::string utcText(std::time_t time, const char* form) {
    std::array<char, 32> text{};
    std::tm utc{};
    gmtime_r(&time, &utc);
    std::strftime(text.data(), text.size(), form, &utc);
    return text.data();
}

/// "2026-01-31T23:59:59Z", as records and profiles are dated.
inline std::string utcNow() {
    return utcText(std::time(nullptr), "%Y-%m-%dT%H:%M:%SZ");
}

/// An hour from now, as records are dated: clocks of one site differ by less.
inline std::string latestTime() {
    return utcText(std::time(nullptr) + 3600L, "%Y-%m-%dT%H:%M:%SZ");
}

/// "2026-02-01": the latest day that it is anywhere, 14 hours before UTC.
inline std::string latestDay() {
    return utcText(std::time(nullptr) + 14L * 3600L, "%Y-%m-%d");
}

}  // namespace fabricast
