#include "planner/report/markup.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace fabricast {
namespace {

constexpr std::string_view kGap = "  ";

/// What stands between gaps of two or more spaces.
std::vector<std::string_view> fieldsOf(std::string_view line) {
    std::vector<std::string_view> fields;
    while (!line.empty()) {
        const std::size_t gap = line.find(kGap);
        if (gap > 0) {
            fields.push_back(line.substr(0, gap));
        }
        const std::size_t next =
            gap == std::string_view::npos ? gap : line.find_first_not_of(' ', gap);
        line = next == std::string_view::npos ? std::string_view() : line.substr(next);
    }
    return fields;
}

/// How a verdict is coloured; nothing where a word is not one.
std::optional<std::string_view> toneOf(std::string_view word) {
    constexpr std::array<std::string_view, 4> kGood = {"FITS", "pass", "REACHED", "PASS"};
    constexpr std::array<std::string_view, 3> kUnsure = {
        "LIKELY FITS", "UNLIKELY TO FIT", "unsure"};
    constexpr std::array<std::string_view, 6> kBad = {
        "DOES NOT FIT", "FAIL", "MISSED", "NOT MODELLED", "REFUSED", "ERROR"};
    if (std::ranges::find(kGood, word) != kGood.end()) {
        return "good";
    }
    if (std::ranges::find(kUnsure, word) != kUnsure.end()) {
        return "unsure";
    }
    if (std::ranges::find(kBad, word) != kBad.end()) {
        return "bad";
    }
    const bool isTitle = word.size() > 2 && std::ranges::all_of(word, [](char letter) {
                             return letter == ' ' || (letter >= 'A' && letter <= 'Z');
                         });
    return isTitle ? std::optional<std::string_view>("plain") : std::nullopt;
}

std::string badge(std::string_view word, std::string_view tone) {
    return "<span class=\"badge " + std::string(tone) + "\">" + xmlEscaped(word) + "</span> ";
}

std::string fieldsText(const std::vector<std::string_view>& fields, std::size_t from) {
    std::string text;
    bool isApart = true;  // no mark between a badge and what it is about
    for (std::size_t i = from; i < fields.size(); ++i) {
        const auto tone = toneOf(fields[i]);
        const bool isBadge = tone && *tone != "plain";
        if (isBadge) {
            text += (text.empty() ? "" : " ") + badge(fields[i], *tone);
        } else {
            text += (isApart ? "" : " <span class=\"gap\">·</span> ") + breakableText(fields[i]);
        }
        isApart = isBadge;
    }
    return text;
}

/// The key of "assumed: sequence 4096"; empty where a line has none.
std::string_view keyOf(std::string_view line) {
    constexpr std::size_t kLongest = 32;
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos || colon > kLongest) {
        return {};
    }
    const std::string_view key = line.substr(0, colon);
    const bool isKey = std::ranges::all_of(key, [](char letter) {
        return letter == ' ' || letter == '$' || letter == '(' || letter == ')' || letter == '-' ||
               (letter >= 'a' && letter <= 'z');
    });
    return isKey ? key : std::string_view();
}

std::string commandOf(std::string_view line) {
    return "<pre><code>" + xmlEscaped(line) + "</code></pre>\n";
}

std::string lineElement(std::string_view line) {
    if (line.starts_with(kGap)) {
        return "<p class=\"sub\">" + fieldsText(fieldsOf(line), 0) + "</p>\n";
    }
    const std::string_view key = keyOf(line);
    if (key == "next") {
        return "<h2>Next</h2>\n" + commandOf(line.substr(key.size() + 2));
    }
    if (!key.empty()) {
        return "<p class=\"note\"><b>" + xmlEscaped(key) + "</b> " +
               breakableText(line.substr(key.size() + 2)) + "</p>\n";
    }
    return "<p>" + fieldsText(fieldsOf(line), 0) + "</p>\n";
}

}  // namespace

std::string breakableText(std::string_view text) {
    std::string html;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t comma = text.find(',', i);
        const std::size_t end = comma == std::string_view::npos ? text.size() : comma + 1;
        html += xmlEscaped(text.substr(i, end - i));
        const bool isKey = end < text.size() && text[end] >= 'a' && text[end] <= 'z';
        html += isKey ? "<wbr/>" : "";
        i = end;
    }
    return html;
}

std::string HtmlProse::head(std::string_view line) {
    const std::vector<std::string_view> fields = fieldsOf(line);
    std::string badges;
    std::size_t first = 0;
    for (; first < fields.size(); ++first) {
        const auto tone = toneOf(fields[first]);
        if (!tone) {
            break;
        }
        badges += badge(fields[first], *tone);
    }
    if (first == 0 || first == fields.size()) {
        return {};
    }
    const bool isFirst = heading_.empty();
    if (isFirst) {
        heading_ = std::string(fields[first - 1]) + ": " + std::string(fields[first]);
    }
    const std::string element = isFirst ? "h1" : "h2";
    const std::string rest = fieldsText(fields, first + 1);
    return "<" + element + ">" + badges + breakableText(fields[first]) + "</" + element + ">\n" +
           (rest.empty() ? "" : "<p class=\"aside\">" + rest + "</p>\n");
}

std::string HtmlProse::of(std::string_view prose) {
    std::string html;
    while (!prose.empty()) {
        const std::size_t end = prose.find('\n');
        const std::string_view line = prose.substr(0, end);
        prose = end == std::string_view::npos ? std::string_view() : prose.substr(end + 1);
        if (line.find_first_not_of(' ') == std::string_view::npos) {
            continue;
        }
        const std::string heading = head(line);
        html += heading.empty() ? lineElement(line) : heading;
    }
    return html;
}

std::string takeCaption(std::string& prose) {
    if (!prose.ends_with('\n') || prose.ends_with("\n\n")) {
        return {};
    }
    const std::size_t before = prose.rfind('\n', prose.size() - 2);
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    std::string line = prose.substr(start, prose.size() - start - 1);
    if (line.empty() || line.starts_with(' ') || line.find(kGap) != std::string::npos) {
        return {};
    }
    prose.erase(start);
    return line;
}

}  // namespace fabricast
