#pragma once
#include <array>
#include <ctime>
#include <string>

namespace fabricast {

/// "2026-01-31T23:59:59Z", as records and profiles are dated.
inline std::string utcNow() {
    std::array<char, 32> text{};
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text.data();
}

}  // namespace fabricast
