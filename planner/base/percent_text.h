#pragma once
#include <array>
#include <charconv>
#include <cstddef>
#include <string>

namespace fabricast {

/// "12.3 %"
inline std::string percentText(double share) {
    constexpr std::size_t kLongest = 330;  // of a double without an exponent
    std::array<char, kLongest> text{};
    const auto written = std::to_chars(
        text.data(), text.data() + text.size(), 100.0 * share, std::chars_format::fixed, 1);
    return std::string(text.data(), written.ptr) + " %";
}

}  // namespace fabricast
