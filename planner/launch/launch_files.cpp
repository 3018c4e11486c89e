#include "planner/launch/launch_files.h"

#include "planner/text/json_text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {

std::string oneLine(std::string text) {
    constexpr unsigned char kFirstPrintable = 0x20;
    constexpr unsigned char kDelete = 0x7f;
    std::ranges::replace_if(
        text,
        [](char letter) {
            const auto byte = static_cast<unsigned char>(letter);
            return byte < kFirstPrintable || byte == kDelete;
        },
        '?');
    // Where YAML and others end a line as well: U+0085, U+2028 and U+2029.
    for (const std::string_view end : {"\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"}) {
        for (std::size_t at = text.find(end); at != std::string::npos; at = text.find(end)) {
            text.replace(at, end.size(), "?");
        }
    }
    return text;
}

std::string commentOf(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += (line.empty() ? "#" : "# ") + oneLine(line) + "\n";
    }
    return text;
}

std::string decimalText(double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text + "0" : text;
}

std::string quotedText(std::string_view text) {
    std::string quoted = jsonQuoted(text);
    constexpr std::array kEnds = {
        std::pair<std::string_view, std::string_view>("\xc2\x85", "\\u0085"),
        std::pair<std::string_view, std::string_view>("\xe2\x80\xa8", "\\u2028"),
        std::pair<std::string_view, std::string_view>("\xe2\x80\xa9", "\\u2029"),
        std::pair<std::string_view, std::string_view>("\x7f", "\\u007f")};
    for (const auto& [end, escaped] : kEnds) {
        for (std::size_t at = quoted.find(end); at != std::string::npos; at = quoted.find(end)) {
            quoted.replace(at, end.size(), escaped);
        }
    }
    return quoted;
}

std::int64_t accumulationOf(const Scenario& scenario) {
    return std::max<std::int64_t>(1, scenario.microBatches());
}

std::int64_t stepsOf(const LaunchFacts& facts) {
    constexpr std::int64_t kTrial = 100;
    return facts.steps.value_or(facts.saved ? std::max(kTrial, facts.saved->steps) : kTrial);
}

std::int64_t loraAlpha(const LaunchFacts& facts) {
    return facts.loraAlpha.value_or(2 * facts.scenario.settings.lora.rank);
}

}  // namespace fabricast
