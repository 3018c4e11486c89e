#include "planner/launch/key_lines.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace fabricast {
namespace {

bool isToml(std::string_view name) {
    return name.ends_with(".toml");
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kBlanks);
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Where the line that begins at `from` ends, its end among it.
std::size_t lineEnd(std::string_view text, std::size_t from) {
    const std::size_t end = text.find('\n', from);
    return end == std::string_view::npos ? text.size() : end + 1;
}

/// What a line of YAML's top level names; empty where it goes on, ends or comments something.
std::string_view yamlKey(std::string_view line) {
    const bool isTop =
        !line.empty() && std::string_view(" \t#-\r\n").find(line.front()) == std::string_view::npos;
    const std::size_t colon = line.find(':');
    return isTop && colon != std::string_view::npos ? trimmed(line.substr(0, colon))
                                                    : std::string_view();
}

/// Whether a line below a key belongs to it: it is indented, or an item of its list.
bool goesOn(std::string_view line) {
    return line.front() == ' ' || line.front() == '\t' || line.starts_with("- ") ||
           line.starts_with("-\n");
}

/// Brackets that a value opens and does not close, in or out of words: a value that has them in
/// words is told wrongly, and then refused by whoever reads the file.
std::ptrdiff_t openBrackets(std::string_view text) {
    return std::ranges::count(text, '[') + std::ranges::count(text, '{') -
           std::ranges::count(text, ']') - std::ranges::count(text, '}');
}

struct Found {
    KeyLines key;
    std::size_t from = 0;
};

std::vector<Found> yamlKeys(std::string_view text) {
    std::vector<Found> found;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = lineEnd(text, at);
        const std::string_view key = yamlKey(text.substr(at, end - at));
        if (!key.empty()) {
            while (end < text.size() && goesOn(text.substr(end, lineEnd(text, end) - end))) {
                end = lineEnd(text, end);
            }
            found.push_back(
                {{.key = std::string(key), .lines = std::string(text.substr(at, end - at))}, at});
        }
        at = end;
    }
    return found;
}

std::vector<Found> tomlKeys(std::string_view text) {
    std::vector<Found> found;
    std::string section;
    bool isOfList = false;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = lineEnd(text, at);
        const std::string_view line = trimmed(text.substr(at, end - at));
        const std::size_t equals = line.find('=');
        if (line.starts_with("[")) {
            isOfList = line.starts_with("[[");
            section = std::string(trimmed(line.substr(1, line.find(']') - 1)));
        } else if (!line.starts_with("#") && equals != std::string_view::npos) {
            while (end < text.size() && openBrackets(text.substr(at, end - at)) > 0) {
                end = lineEnd(text, end);
            }
            if (!isOfList) {
                found.push_back({{.section = section,
                                  .key = std::string(trimmed(line.substr(0, equals))),
                                  .lines = std::string(text.substr(at, end - at))},
                                 at});
            }
        }
        at = end;
    }
    return found;
}

std::vector<Found> keysOf(std::string_view text, std::string_view name) {
    return isToml(name) ? tomlKeys(text) : yamlKeys(text);
}

std::string ended(std::string lines) {
    lines += lines.ends_with('\n') ? "" : "\n";
    return lines;
}

}  // namespace

bool hasKeyLines(std::string_view name) {
    return isToml(name) || name.ends_with(".yaml") || name.ends_with(".yml");
}

std::vector<KeyLines> keyLines(std::string_view text, std::string_view name) {
    std::vector<KeyLines> keys;
    for (Found& one : keysOf(text, name)) {
        keys.push_back(std::move(one.key));
    }
    return keys;
}

std::string withKeyLines(std::string text, std::string_view name, const KeyLines& own) {
    text = ended(std::move(text));
    std::size_t behind = text.size();
    bool hasSection = own.section.empty() && !isToml(name);
    for (const Found& one : keysOf(text, name)) {
        if (one.key.section == own.section && one.key.key == own.key) {
            return text.replace(one.from, one.key.lines.size(), ended(own.lines));
        }
        if (isToml(name) && one.key.section == own.section) {
            hasSection = true;
            behind = one.from + one.key.lines.size();
        }
    }
    if (!hasSection && !own.section.empty()) {
        return text + "\n[" + own.section + "]\n" + ended(own.lines);
    }
    // A key of TOML's top level stands before all sections.
    return text.insert(hasSection ? behind : 0, ended(own.lines));
}

}  // namespace fabricast
