#include "planner/launch/launch_files.h"

#include "planner/text/json_text.h"

#include <algorithm>

namespace fabricast {

std::string commentOf(const std::vector<std::string>& lines) {
    constexpr unsigned char kFirstPrintable = 0x20;
    std::string text;
    for (std::string line : lines) {
        std::ranges::replace_if(
            line,
            [](char letter) { return static_cast<unsigned char>(letter) < kFirstPrintable; },
            '?');
        text += (line.empty() ? "#" : "# ") + line + "\n";
    }
    return text;
}

std::string decimalText(double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text + "0" : text;
}

std::string quotedText(std::string_view text) {
    return jsonQuoted(text);
}

std::int64_t accumulationOf(const Scenario& scenario) {
    return std::max<std::int64_t>(1, scenario.microBatches());
}

}  // namespace fabricast
