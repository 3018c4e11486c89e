#pragma once
#include <cstddef>
#include <string>

namespace fabricast {

/// 8030261248 is "8,030,261,248".
inline std::string grouped(long long number) {
    std::string digits = std::to_string(number);
    const std::size_t first = digits.front() == '-' ? 1 : 0;
    for (std::size_t place = digits.size(); place > first + 3; place -= 3) {
        digits.insert(place - 3, ",");
    }
    return digits;
}

}  // namespace fabricast
