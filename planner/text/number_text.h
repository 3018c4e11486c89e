#pragma once
#include <array>
#include <charconv>
#include <string>

namespace fabricast {

/// The shortest text that reads back as the same number.
inline std::string numberText(double value) {
    std::array<char, 40> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), end.ptr};
}

}  // namespace fabricast
