#include "planner/base/nearest_name.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kLongestWord = 64;
using Row = std::array<std::uint8_t, kLongestWord + 1>;  // small: three are moved a line

char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// The start of a word in small letters.
class Letters {
public:
    explicit Letters(std::string_view word) : size_(std::min(word.size(), kLongestWord)) {
        std::transform(word.begin(),
                       word.begin() + static_cast<std::ptrdiff_t>(size_),
                       letters_.begin(),
                       lower);
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    char operator[](std::size_t i) const { return letters_[i]; }

private:
    std::array<char, kLongestWord> letters_{};
    std::size_t size_;
};

}  // namespace

std::size_t editDistance(std::string_view left, std::string_view right, std::size_t most) {
    const Letters from(left);
    const Letters to(right);
    if (std::max(from.size(), to.size()) - std::min(from.size(), to.size()) > most) {
        return most + 1;
    }
    Row beforeLast{};
    Row last{};
    Row row{};
    for (std::size_t column = 0; column <= to.size(); ++column) {
        last[column] = static_cast<std::uint8_t>(column);
    }
    for (std::size_t line = 1; line <= from.size(); ++line) {
        row[0] = static_cast<std::uint8_t>(line);
        std::uint8_t nearest = row[0];
        const char typed = from[line - 1];
        for (std::size_t column = 1; column <= to.size(); ++column) {
            const char wanted = to[column - 1];
            int least = std::min(std::min(last[column], row[column - 1]) + 1,
                                 last[column - 1] + (typed == wanted ? 0 : 1));
            if (line > 1 && column > 1 && typed == to[column - 2] && from[line - 2] == wanted) {
                least = std::min(least, beforeLast[column - 2] + 1);
            }
            row[column] = static_cast<std::uint8_t>(least);
            nearest = std::min(nearest, row[column]);
        }
        // Nor does a swap, which passes a line over, come nearer than this one: it costs one, too.
        if (nearest > most) {
            return most + 1;
        }
        beforeLast = std::exchange(last, row);
    }
    return last[to.size()];
}

std::size_t mostLikelySlips(std::string_view typed) {
    // A third of the letters that are compared may be wrong, and one always may be unless it is the
    // whole word.
    const std::size_t letters = std::min(typed.size(), kLongestWord);
    return letters < 2 ? 0 : std::max<std::size_t>(1, letters / 3);
}

}  // namespace fabricast
