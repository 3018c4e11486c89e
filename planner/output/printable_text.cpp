#include "planner/output/printable_text.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace fabricast {
namespace {

unsigned char byteAt(std::string_view text, std::size_t index) {
    return static_cast<unsigned char>(text[index]);
}

/// How many bytes the first byte of a UTF-8 character announces; 0 if it cannot be a first one.
std::size_t announcedLength(unsigned char first) {
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xC2 && first < 0xE0) {
        return 2;
    }
    if (first >= 0xE0 && first < 0xF0) {
        return 3;
    }
    return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

/// Overlong forms, surrogates and what lies beyond Unicode show in the second byte.
bool secondByteFits(unsigned char first, unsigned char second) {
    const unsigned char least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned char most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    return second >= least && second <= most;
}

/// Characters that end a line, turn the direction of what follows, or are not seen, each as a
/// range.
struct CharacterRange {
    std::string_view first;
    std::string_view last;
};
constexpr std::array kLayoutControls = {CharacterRange{"\u061c", "\u061c"},
                                        CharacterRange{"\u200b", "\u200b"},
                                        CharacterRange{"\u200e", "\u200f"},
                                        CharacterRange{"\u2028", "\u202e"},
                                        CharacterRange{"\u2060", "\u2064"},
                                        CharacterRange{"\u2066", "\u2069"},
                                        CharacterRange{"\ufeff", "\ufeff"},
                                        CharacterRange{"\U000e0000", "\U000e007f"}};

bool isControl(std::string_view character) {
    const unsigned char first = byteAt(character, 0);
    if (character.size() == 1) {
        return (first < 0x20 && first != '\n' && first != '\t') || first == 0x7F;
    }
    if (first == 0xC2) {
        return byteAt(character, 1) < 0xA0;  // U+0080 to U+009F
    }
    // UTF-8 sorts as the characters do.
    return std::ranges::any_of(kLayoutControls, [&](const CharacterRange& range) {
        return range.first <= character && character <= range.last;
    });
}

/// The length of the printable character at the start, or 0.
std::size_t printableLength(std::string_view text) {
    const std::size_t length = announcedLength(byteAt(text, 0));
    if (length == 0 || length > text.size()) {
        return 0;
    }
    if (length > 1 && !secondByteFits(byteAt(text, 0), byteAt(text, 1))) {
        return 0;
    }
    for (std::size_t index = 2; index < length; ++index) {
        if ((byteAt(text, index) & 0xC0U) != 0x80) {
            return 0;
        }
    }
    return isControl(text.substr(0, length)) ? 0 : length;
}

std::string printed(std::string_view text, bool oneLine) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string printable;
    while (!text.empty()) {
        const bool splits = oneLine && (text.front() == '\n' || text.front() == '\t');
        const std::size_t length = splits ? 0 : printableLength(text);
        if (length > 0) {
            printable += text.substr(0, length);
        } else {
            const unsigned char byte = byteAt(text, 0);
            printable += {'\\', 'x', kDigits[byte >> 4U], kDigits[byte & 0xFU]};
        }
        text.remove_prefix(std::max<std::size_t>(1, length));
    }
    return printable;
}

/// The first place from here on where a character begins.
std::size_t characterFrom(std::string_view text, std::size_t at) {
    while (at < text.size() && (byteAt(text, at) & 0xC0U) == 0x80) {
        ++at;
    }
    return at;
}

}  // namespace

std::string printableText(std::string_view text) {
    return printed(text, false);
}

std::string printableLine(std::string_view text) {
    return printed(text, true);
}

std::string shortMessage(std::string_view text) {
    constexpr std::size_t kMostLetters = 4096;  // of a path, too
    constexpr std::size_t kKeptLetters = 400;
    if (text.size() <= kMostLetters) {
        return std::string(text);
    }
    return std::string(text.substr(0, characterFrom(text, kKeptLetters))) + " … " +
           std::string(text.substr(characterFrom(text, text.size() - kKeptLetters)));
}

}  // namespace fabricast
