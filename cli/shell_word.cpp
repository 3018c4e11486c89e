#include "cli/shell_word.h"

#include <string_view>

namespace fabricast {

std::string shellWord(const std::string& word) {
    constexpr std::string_view kSafe =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,=:+";
    if (!word.empty() && word.find_first_not_of(kSafe) == std::string::npos) {
        return word;
    }
    std::string text = "'";
    for (const char letter : word) {
        text += letter == '\'' ? "'\\''" : std::string(1, letter);
    }
    return text + "'";
}

}  // namespace fabricast
