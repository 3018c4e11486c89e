#include "planner/text/shell_text.h"

#include "planner/output/printable_text.h"

#include <string_view>

namespace fabricast {
namespace {

/// $'a\x0ab': a word with letters that end a line or do not show.
std::string escapedWord(const std::string& word) {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string text = "$'";
    for (const char letter : word) {
        const auto byte = static_cast<unsigned char>(letter);
        if (letter == '\'' || letter == '\\') {
            text += {'\\', letter};
        } else if (byte >= 0x20 && byte < 0x7F) {
            text += letter;
        } else {
            text += {'\\', 'x', kHex[byte >> 4U], kHex[byte & 15U]};
        }
    }
    return text + "'";
}

}  // namespace

std::string shellWord(const std::string& word) {
    constexpr std::string_view kSafe =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,=:+";
    if (!word.empty() && word.find_first_not_of(kSafe) == std::string::npos) {
        return word;
    }
    if (printableLine(word) != word) {
        return escapedWord(word);
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
