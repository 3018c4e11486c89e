#pragma once
#include "planner/base/nearest_name.h"

#include <cstddef>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Letters that a typing error changes; names of other things differ in more.
inline constexpr std::size_t kMostSlips = 2;

/// Whether two words may be so near: by their lengths and by which letters they have, which costs
/// little beside their distance.
bool maySlip(std::string_view left, std::string_view right);

/// The known name from which a typed one differs in so many letters at most; "" where there is
/// none. Unlike `nearestName` it may be asked of thousands of words.
///     slippedName("model.sequence_paralel", keys)  →  "model.sequence_parallel"
template <std::ranges::input_range Names>
std::string slippedName(std::string_view typed, const Names& known) {
    std::vector<std::string_view> near;
    for (const std::string_view name : known) {
        if (maySlip(typed, name)) {
            near.push_back(name);
        }
    }
    const std::string nearest = nearestName(typed, near);
    return !nearest.empty() && editDistance(typed, nearest) <= kMostSlips ? nearest : "";
}

}  // namespace fabricast
