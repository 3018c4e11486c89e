#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fabricast {

/// The known name a mistyped one most likely meant, or "" when none is close.
///     nearestName("micro_bach", keys)  →  "micro_batch"
std::string nearestName(std::string_view typed, std::span<const std::string_view> known);

/// "did you mean \"micro_batch\"?" when one is close, else "known: dp, tp, pp".
std::string suggestName(std::string_view typed, std::span<const std::string_view> known);

}  // namespace fabricast
