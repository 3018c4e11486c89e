#include "gui/charts/rough_text.h"

namespace fabricast {
namespace {

/// In letter heights; at least what wide fonts such as DejaVu Sans and Verdana have.
double letterWidth(char letter) {
    constexpr std::string_view kNarrow = " .,:;'|!()[]ijlI";
    constexpr std::string_view kHalf = "frt-/\"*";
    constexpr std::string_view kWide = "mwMWOQG@%+=<>~";
    if ((static_cast<unsigned char>(letter) & 0xC0U) == 0x80U) {
        return 0.0;  // a letter's further bytes
    }
    if (kNarrow.find(letter) != std::string_view::npos) {
        return 0.40;
    }
    if (kHalf.find(letter) != std::string_view::npos) {
        return 0.52;
    }
    const bool wide = kWide.find(letter) != std::string_view::npos ||
                      (static_cast<unsigned char>(letter) & 0x80U) != 0;
    return wide ? 1.0 : letter >= 'A' && letter <= 'Z' ? 0.76 : 0.65;
}

}  // namespace

double roughTextWidth(std::string_view words, double textSize) {
    double letters = 0.0;
    for (const char letter : words) {
        letters += letterWidth(letter);
    }
    return letters * textSize;
}

std::string shortened(std::string_view words, double width, double textSize) {
    if (roughTextWidth(words, textSize) <= width) {
        return std::string(words);
    }
    std::string text(words);
    while (!text.empty() && roughTextWidth(text, textSize) + textSize > width) {
        // The whole of a letter, of however many bytes.
        while (text.size() > 1 && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) {
            text.pop_back();
        }
        text.pop_back();
    }
    while (text.ends_with(' ')) {
        text.pop_back();
    }
    return text.empty() ? text : text + "\u2026";
}

}  // namespace fabricast
