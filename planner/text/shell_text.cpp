#include "planner/text/shell_text.h"

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

std::string shellCommand(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : " ") + shellWord(word);
    }
    return text;
}

}  // namespace fabricast
