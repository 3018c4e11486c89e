#include "planner/base/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace fabricast {
namespace {

constexpr std::size_t kLongestCompared = 64;  // longer words are never a slip of the finger
constexpr std::size_t kMostListed = 24;

char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// Levenshtein distance, letter case ignored.
std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            const std::size_t change = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
            row[j] = std::min({row[j - 1] + 1, above + 1, diagonal + change});
            diagonal = above;
        }
    }
    return row[b.size()];
}

}  // namespace

std::string nearestName(std::string_view typed, std::span<const std::string_view> known) {
    if (typed.empty() || typed.size() > kLongestCompared) {
        return {};
    }
    std::string_view best;
    std::size_t bestDistance = std::max<std::size_t>(1, typed.size() / 3) + 1;
    for (const std::string_view name : known) {
        const std::size_t distance = editDistance(typed, name.substr(0, kLongestCompared));
        if (distance < bestDistance) {
            best = name;
            bestDistance = distance;
        }
    }
    return std::string(best);
}

std::string suggestName(std::string_view typed, std::span<const std::string_view> known) {
    if (const std::string near = nearestName(typed, known); !near.empty()) {
        return "did you mean \"" + near + "\"?";
    }
    std::string list = "known: ";
    for (std::size_t i = 0; i < std::min(known.size(), kMostListed); ++i) {
        list.append(i == 0 ? "" : ", ").append(known[i]);
    }
    return known.size() > kMostListed ? list + ", …" : list;
}

}  // namespace fabricast
