#include "planner/report/markup.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace fabricast {
namespace {

/// Whole lines of reports: the mark by which a comment is found again, and what folds.
constexpr std::array<std::string_view, 3> kOwnTags = {
    "<!-- fabricast:check -->",
    "<details><summary>why, and what would mend it</summary>",
    "</details>"};

constexpr std::string_view kFence = "```";

std::size_t ticksAt(std::string_view line, std::size_t at) {
    const std::size_t end = std::min(line.find_first_not_of('`', at), line.size());
    return end - at;
}

/// Where the code that begins with these ticks ends: behind as many, in the same cell of a table.
/// 0: it does not, and they are letters.
std::size_t codeEnd(std::string_view line, std::size_t at, bool isRow) {
    const std::size_t ticks = ticksAt(line, at);
    for (std::size_t i = at + ticks; i < line.size(); ++i) {
        if (isRow && line[i] == '|' && line[i - 1] != '\\') {
            return 0;
        }
        if (line[i] == '`') {
            const std::size_t here = ticksAt(line, i);
            if (here == ticks) {
                return i + here;
            }
            i += here - 1;
        }
    }
    return 0;
}

/// "<img", "</a", "<!--", "<http:": a blank or a number behind it makes no tag.
bool beginsTag(std::string_view line, std::size_t at) {
    const char next = at + 1 < line.size() ? line[at + 1] : ' ';
    return (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || next == '/' ||
           next == '!' || next == '?';
}

void addEscapedLine(std::string_view line, std::string& text) {
    const bool isRow = line.starts_with('|');
    for (std::size_t i = 0; i < line.size();) {
        std::size_t whole = 1;  // letters that are taken as they are
        if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] != '<') {
            whole = 2;  // the second one is a letter already
        } else if (line[i] == '`') {
            const std::size_t end = codeEnd(line, i, isRow);
            whole = end == 0 ? ticksAt(line, i) : end - i;
        } else if (line[i] == '<' && beginsTag(line, i)) {
            text += "&lt;";
            ++i;
            whole = 0;
        } else if (line[i] == ']' && i + 1 < line.size() && line[i + 1] == '(') {
            text += "]\\";
            ++i;
        }
        text += line.substr(i, whole);
        i += whole;
    }
}

}  // namespace

std::string markdownEscaped(std::string_view text) {
    std::string escaped;
    bool isFenced = false;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
        const std::string_view line = text.substr(0, length);
        const std::string_view words = line.substr(0, line.find('\n'));
        const bool isFence = words.starts_with(kFence);
        isFenced = isFence ? !isFenced : isFenced;
        if (isFence || isFenced || std::ranges::find(kOwnTags, words) != kOwnTags.end()) {
            escaped += line;
        } else {
            addEscapedLine(line, escaped);
        }
        text.remove_prefix(length);
    }
    return escaped;
}

}  // namespace fabricast
