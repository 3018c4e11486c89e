#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Whether a line is one that `date` prints: "Fri Nov 27 09:00:00 UTC 2026", in any time zone.
bool looksLikeDate(const std::vector<std::string_view>& words);

/// The time of such a line in UTC, as records say it: "2026-11-27T09:00:00Z". Empty where it is in
/// another time zone, or is no time.
std::string dateOf(const std::vector<std::string_view>& words);

}  // namespace fabricast
