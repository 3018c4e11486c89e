#pragma once
#include "planner/text/json_text.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// The lines of a section, each indented by two spaces.
inline std::string indentedLines(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += "  " + line + "\n";
    }
    return text;
}

/// An array of texts.
inline void addTexts(JsonText& json, std::string_view key, const std::vector<std::string>& texts) {
    json.beginArray(key);
    for (const std::string& text : texts) {
        json.item(text);
    }
    json.end();
}

}  // namespace fabricast
