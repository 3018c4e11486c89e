#pragma once
#include <cstddef>
#include <limits>
#include <ranges>
#include <string>
#include <string_view>

namespace fabricast {

/// How many letters must be inserted, removed, replaced or swapped with their neighbour to turn
/// one word into the other; case does not count. Words are compared up to 64 letters.
std::size_t editDistance(std::string_view left, std::string_view right);

/// Whether a name at this distance is close enough to be what the user meant.
bool isLikelyTypo(std::string_view typed, std::size_t distance);

/// The known name a mistyped one most likely meant, or "" when none is close; the first wins a tie.
///     nearestName("micro_bach", keys)  →  "micro_batch"
template <std::ranges::input_range Names>
std::string nearestName(std::string_view typed, const Names& known) {
    std::string_view nearest;
    std::size_t best = std::numeric_limits<std::size_t>::max();
    for (const auto& name : known) {
        const std::size_t distance = editDistance(typed, name);
        if (distance < best) {
            best = distance;
            nearest = name;
        }
    }
    return isLikelyTypo(typed, best) ? std::string(nearest) : std::string();
}

/// "did you mean \"micro_batch\"?" when one is close, else "known: dp, tp, pp" (the first 24).
template <std::ranges::input_range Names>
std::string suggestName(std::string_view typed, const Names& known) {
    if (const std::string near = nearestName(typed, known); !near.empty()) {
        return "did you mean \"" + near + "\"?";
    }
    constexpr std::size_t kMostListed = 24;
    std::string list;
    std::size_t listed = 0;
    for (const auto& name : known) {
        if (listed == kMostListed) {
            return list + ", …";
        }
        list.append(listed == 0 ? "known: " : ", ").append(name);
        ++listed;
    }
    return list;
}

}  // namespace fabricast
