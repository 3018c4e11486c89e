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

/// The name nearest to what was typed, or empty when none is near; the first one wins a tie.
template <std::ranges::input_range Names>
std::string nearestName(std::string_view typed, const Names& names) {
    std::string nearest;
    std::size_t best = std::numeric_limits<std::size_t>::max();
    for (const auto& name : names) {
        const std::size_t distance = editDistance(typed, name);
        if (distance < best) {
            best = distance;
            nearest = name;
        }
    }
    return isLikelyTypo(typed, best) ? nearest : std::string();
}

/// The hint of an error about an unknown name: `did you mean "h100"?`, or empty.
///     return fail(Error::Code::NotFound, "--gpu", "no GPU is called \"h10\"",
///                 didYouMean("h10", names));
template <std::ranges::input_range Names>
std::string didYouMean(std::string_view typed, const Names& names) {
    const std::string nearest = nearestName(typed, names);
    return nearest.empty() ? nearest : "did you mean \"" + nearest + "\"?";
}

}  // namespace fabricast
