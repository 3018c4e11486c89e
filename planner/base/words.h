#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

inline constexpr std::string_view kBlanks = " \t\r\n";

/// The words of a text, which blanks separate: parts of it, not copies.
inline std::vector<std::string_view> wordsOf(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
        words.push_back(text.substr(at, end - at));
        at = text.find_first_not_of(kBlanks, end);
    }
    return words;
}

/// The items of a list with a separator between each two.
///     joined(names, ", ")  ->  "fsdp2, megatron, nemo"
template <typename List>
std::string joined(const List& items, std::string_view separator) {
    std::string text;
    bool first = true;
    for (const auto& item : items) {
        if (!first) {
            text += separator;
        }
        text += item;
        first = false;
    }
    return text;
}

}  // namespace fabricast
