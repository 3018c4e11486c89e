#include "planner/launch/toml_letters.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace fabricast {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kTriple = 3;

bool isBeyondAscii(char letter) {
    return static_cast<unsigned char>(letter) > 0x7F;
}

/// Behind a text in quotes that begins at `from`; one of a single line ends with its line too.
std::size_t behindQuotes(std::string_view text, std::size_t from) {
    const char quote = text[from];
    const bool isLong = text.substr(from, kTriple) == std::string(kTriple, quote);
    std::size_t at = from + (isLong ? kTriple : 1);
    while (at < text.size()) {
        if (text[at] == '\\' && quote == '"') {
            at += 2;
        } else if (text[at] == '\n' && !isLong) {
            return at;
        } else if (text[at] != quote) {
            ++at;
        } else if (!isLong) {
            return at + 1;
        } else {
            std::size_t quotes = 0;
            while (at < text.size() && text[at] == quote) {
                ++at;
                ++quotes;
            }
            if (quotes >= kTriple) {
                return at;
            }
        }
    }
    return text.size();
}

/// The next letter, from here on, that is in no comment and in no quotes.
std::size_t plainFrom(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        if (text[at] == '#') {
            at = std::min(text.find('\n', at), text.size());
        } else if (text[at] == '"' || text[at] == '\'') {
            at = behindQuotes(text, at);
        } else {
            return at;
        }
    }
    return text.size();
}

TextPlace placeOf(std::string_view text, std::size_t at) {
    constexpr unsigned kContinues = 0x80;
    constexpr unsigned kTopTwoBits = 0xC0;
    TextPlace place;
    for (const char letter : text.substr(0, at)) {
        if (letter == '\n') {
            ++place.line;
            place.column = 1;
        } else if ((static_cast<unsigned char>(letter) & kTopTwoBits) != kContinues) {
            ++place.column;
        }
    }
    return place;
}

}  // namespace

std::string asciiShape(std::string_view text) {
    constexpr std::string_view kLetters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    std::string shape(text.substr(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0));
    for (char& letter : shape) {
        if (isBeyondAscii(letter)) {
            letter = kLetters[static_cast<unsigned char>(letter) % kLetters.size()];
        }
    }
    return shape;
}

TextPlace placeInShape(std::string_view text, TextPlace place) {
    std::size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    for (std::int64_t line = 1; line < place.line && at < text.size(); ++line) {
        at = std::min(text.find('\n', at), text.size() - 1) + 1;
    }
    const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(place.column - 1, 0));
    place.column = placeOf(text.substr(at), std::min(bytes, text.size() - at)).column;
    return place;
}

std::optional<TextPlace> strayTomlLetter(std::string_view text) {
    const std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    for (std::size_t at = plainFrom(text, begin); at < text.size(); at = plainFrom(text, at + 1)) {
        if (isBeyondAscii(text[at])) {
            return placeOf(text, at);
        }
    }
    return std::nullopt;
}

std::optional<TextPlace> tomlKeyBeyond(std::string_view text, std::size_t most) {
    std::size_t keys = 0;
    bool startsLine = true;
    for (std::size_t at = plainFrom(text, 0); at < text.size(); at = plainFrom(text, at + 1)) {
        const char letter = text[at];
        const bool isKey = letter == '=' || (letter == '[' && startsLine);
        if (isKey && ++keys > most) {
            return placeOf(text, at);
        }
        startsLine = letter == '\n' || (startsLine && (letter == ' ' || letter == '\t'));
    }
    return std::nullopt;
}

}  // namespace fabricast
