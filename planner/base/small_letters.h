#pragma once
#include <string>
#include <string_view>

namespace fabricast {

/// 'A' to 'Z' in small, all else as it is, whatever the locale.
constexpr char smallLetter(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// "MULTI_GPU" is "multi_gpu".
inline std::string inSmallLetters(std::string_view text) {
    std::string small(text);
    for (char& letter : small) {
        letter = smallLetter(letter);
    }
    return small;
}

}  // namespace fabricast
