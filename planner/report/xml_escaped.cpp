#include "planner/output/printable_text.h"
#include "planner/report/markup.h"

namespace fabricast {

std::string xmlEscaped(std::string_view text) {
    std::string safe;
    const std::string read = printableText(text);
    for (const char letter : read) {
        switch (letter) {
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '&':
                safe += "&amp;";
                break;
            case '"':
                safe += "&quot;";
                break;
            default:  // ends of lines and tabs
                safe += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
        }
    }
    return safe;
}

}  // namespace fabricast
