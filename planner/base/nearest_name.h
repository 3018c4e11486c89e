#pragma once
#include <cstddef>
#include <limits>
#include <ranges>
#include <string>
#include <string_view>

namespace fabricast {

/// How many letters must be inserted, removed, replaced or swapped with their neighbour to turn
/// one word into the other; case does not count. Words are compared up to 64 letters. Where it is
/// more than `most`, any number above that.
std::size_t editDistance(std::string_view left,
                         std::string_view right,
                         std::size_t most = std::numeric_limits<std::size_t>::max() - 1);

/// The largest distance at which a name is close enough to be what the user meant.
std::size_t mostLikelySlips(std::string_view typed);

/// The known name a mistyped one most likely meant, or "" when none is close; the first wins a tie.
///     nearestName("micro_bach", keys)  →  "micro_batch"
template <std::ranges::input_range Names>
std::string nearestName(std::string_view typed, const Names& known) {
    std::string_view nearest;
    std::size_t nearer = mostLikelySlips(typed) + 1;  // than this it must be
    for (const auto& name : known) {
        if (nearer == 0) {
            break;
        }
        const std::size_t distance = editDistance(typed, name, nearer - 1);
        if (distance < nearer) {
            nearer = distance;
            nearest = name;
        }
    }
    return std::string(nearest);
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
