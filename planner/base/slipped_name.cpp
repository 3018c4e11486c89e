#include "planner/base/slipped_name.h"

#include "planner/base/small_letters.h"

#include <array>
#include <cmath>
#include <cstdlib>

namespace fabricast {

/// A letter that is replaced counts twice, once in each word.
bool maySlip(std::string_view left, std::string_view right) {
    constexpr int kBytes = 256;
    const std::size_t apart =
        left.size() > right.size() ? left.size() - right.size() : right.size() - left.size();
    if (apart > kMostSlips) {
        return false;
    }
    std::array<int, kBytes> count{};
    for (const char letter : left) {
        ++count[static_cast<unsigned char>(smallLetter(letter))];
    }
    for (const char letter : right) {
        --count[static_cast<unsigned char>(smallLetter(letter))];
    }
    std::size_t different = 0;
    for (const int one : count) {
        different += static_cast<std::size_t>(std::abs(one));
    }
    return different <= 2 * kMostSlips;
}

}  // namespace fabricast
