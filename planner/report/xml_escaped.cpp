#include "planner/report/xml_escaped.h"

namespace fabricast {

std::string xmlEscaped(std::string_view text) {
    std::string safe;
    for (const char letter : text) {
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
            default:  // control characters are no XML
                safe += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
        }
    }
    return safe;
}

}  // namespace fabricast
