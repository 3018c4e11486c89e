#include "planner/base/nearest_name.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kLongestWord = 64;
using Row = std::array<std::size_t, kLongestWord + 1>;

char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

}  // namespace

std::size_t editDistance(std::string_view left, std::string_view right) {
    left = left.substr(0, kLongestWord);
    right = right.substr(0, kLongestWord);
    Row beforeLast{};
    Row last{};
    Row row{};
    for (std::size_t column = 0; column <= right.size(); ++column) {
        last[column] = column;
    }
    for (std::size_t line = 1; line <= left.size(); ++line) {
        row[0] = line;
        for (std::size_t column = 1; column <= right.size(); ++column) {
            const char typed = lower(left[line - 1]);
            const char wanted = lower(right[column - 1]);
            row[column] = std::min({last[column] + 1,
                                    row[column - 1] + 1,
                                    last[column - 1] + (typed == wanted ? 0U : 1U)});
            if (line > 1 && column > 1 && typed == lower(right[column - 2]) &&
                lower(left[line - 2]) == wanted) {
                row[column] = std::min(row[column], beforeLast[column - 2] + 1);
            }
        }
        beforeLast = std::exchange(last, row);
    }
    return last[right.size()];
}

bool isLikelyTypo(std::string_view typed, std::size_t distance) {
    // A third of the letters may be wrong, and one always may be unless it is the whole word.
    const std::size_t allowed = typed.size() < 2 ? 0 : std::max<std::size_t>(1, typed.size() / 3);
    return distance <= allowed;
}

}  // namespace fabricast
