#include "probes/record/point.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <limits>

namespace fabricast::probe {

namespace {

bool isWord(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char letter) {
        return std::isalnum(letter) != 0 ||
               std::string_view("_-.:/+,").find(static_cast<char>(letter)) !=
                   std::string_view::npos;
    });
}

std::vector<std::string_view> wordsOf(std::string_view text) {
    std::vector<std::string_view> words;
    constexpr std::string_view kBlank = " \t\r\n";
    for (std::size_t at = text.find_first_not_of(kBlank); at != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
        words.push_back(text.substr(at, end - at));
        at = text.find_first_not_of(kBlank, end);
    }
    return words;
}

std::string inQuotes(std::string_view text) {
    // As much as a reader needs to find it.
    constexpr std::size_t kMostQuoted = 200;
    std::string result = "'";
    result += text.substr(0, kMostQuoted);
    result += text.size() > kMostQuoted ? "…'" : "'";
    return result;
}

}  // namespace

Answer<Point> parsePoint(std::string_view text) {
    constexpr std::size_t kMostBytes = 1000;
    if (text.size() > kMostBytes) {
        return Trouble{inQuotes(text) + " is longer than a point is"};
    }
    const std::vector<std::string_view> words = wordsOf(text);
    if (words.empty() || !isWord(words.front())) {
        return Trouble{inQuotes(text) + " names nothing to measure"};
    }
    Point point{.what = std::string(words.front())};
    for (std::size_t word = 1; word < words.size(); ++word) {
        const std::size_t equals = words[word].find('=');
        const std::string_view name = words[word].substr(0, equals);
        if (equals == std::string_view::npos || !isWord(name) ||
            !isWord(words[word].substr(equals + 1))) {
            return Trouble{inQuotes(words[word]) + " is no setting: write NAME=VALUE"};
        }
        if (!point.settings.emplace(name, words[word].substr(equals + 1)).second) {
            return Trouble{inQuotes(name) + " is set twice"};
        }
    }
    return point;
}

std::string textOf(const Point& point) {
    std::string text = point.what;
    for (const auto& [name, value] : point.settings) {
        text += " ";
        text += name;
        text += "=";
        text += value;
    }
    return text;
}

Answer<std::vector<Point>> parsePoints(std::string_view text, std::string_view file) {
    std::vector<Point> points;
    std::size_t number = 1;
    for (std::size_t at = 0; at < text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        at = end + 1;
        const std::string_view said = line.substr(0, line.find('#'));
        if (said.find_first_not_of(" \t\r") == std::string_view::npos) {
            continue;
        }
        Answer<Point> point = parsePoint(said);
        if (!point) {
            return Trouble{std::string(file) + ":" + std::to_string(number) + ": " +
                           point.trouble().why};
        }
        points.push_back(*point);
    }
    return points;
}

Answer<std::int64_t> parseWhole(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    const std::size_t letter = std::string_view("KMGT").find(unit.substr(0, 1));
    const std::size_t power = unit.empty() ? 0 : letter + 1;
    if (error != std::errc() || unit.size() > 1 || letter == std::string_view::npos) {
        return Trouble{inQuotes(text) + " is no whole number"};
    }
    const int shift = static_cast<int>(10 * power);
    if (value < 0 || value > (std::numeric_limits<std::int64_t>::max() >> shift)) {
        return Trouble{inQuotes(text) + " is out of range"};
    }
    return value << shift;
}

Answer<std::string> wordOf(const Point& point, const std::string& name) {
    const auto found = point.settings.find(name);
    if (found == point.settings.end()) {
        return Trouble{inQuotes(textOf(point)) + " lacks " + name + "="};
    }
    return found->second;
}

Answer<std::int64_t> wholeOf(const Point& point, const std::string& name, std::int64_t least) {
    const Answer<std::string> word = wordOf(point, name);
    if (!word) {
        return word.trouble();
    }
    const Answer<std::int64_t> value = parseWhole(*word);
    if (!value) {
        return Trouble{inQuotes(textOf(point)) + ": " + name + ": " + value.trouble().why};
    }
    if (*value < least) {
        return Trouble{inQuotes(textOf(point)) + ": " + name + " is less than " +
                       std::to_string(least)};
    }
    return value;
}

std::string wordOr(const Point& point, const std::string& name, const std::string& otherwise) {
    const auto found = point.settings.find(name);
    return found == point.settings.end() ? otherwise : found->second;
}

}  // namespace fabricast::probe
