#include "study/sweep_file.h"

#include "planner/text/json_lines.h"
#include "planner/text/text_file.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostSweepBytes = std::size_t{1} << 30;

/// The key of a line, by what it says.
Result<std::string> keyOfLine(std::string_view line, const std::string& file, std::int64_t number) {
    FABRICAST_ASSIGN(const JsonValue root, parseJsonFrom(line, file, number));
    FABRICAST_TRY(root.expect(JsonValue::Kind::Object));
    FABRICAST_ASSIGN(const JsonValue* digest, root.require("digest"));
    FABRICAST_ASSIGN(const JsonValue* point, root.require("point"));
    FABRICAST_ASSIGN(const std::string text, digest->text());
    std::vector<std::pair<std::string, std::string>> values;
    for (const JsonValue& member : point->members()) {
        FABRICAST_ASSIGN(std::string value, member.text());
        values.emplace_back(member.name(), std::move(value));
    }
    return sweepKey(text, values);
}

Result<void> takeLine(const std::string& line,
                      const std::string& file,
                      std::int64_t number,
                      const SweepPlaces& places,
                      std::vector<std::string>& lines) {
    Result<std::string> key = keyOfLine(line, file, number);
    if (!key) {
        key.error().hint = "remove that line, and its point is computed again";
        return tl::unexpected(std::move(key).error());
    }
    const auto place = places.find(*key);
    if (place == places.end()) {
        return fail(Error::Code::BadInput,
                    file + ":" + std::to_string(number),
                    "is of another sweep",
                    "another file behind --out");
    }
    lines[place->second] = line;
    return {};
}

}  // namespace

std::string sweepKey(const std::string& digest,
                     const std::vector<std::pair<std::string, std::string>>& point) {
    std::string key = digest;
    for (const auto& [path, value] : point) {
        key += '\n' + path + '=' + value;
    }
    return key;
}

Result<void> takeSweepFile(const std::string& file,
                           const SweepPlaces& places,
                           std::vector<std::string>& lines,
                           std::string& note) {
    if (!std::filesystem::exists(file)) {
        return {};
    }
    FABRICAST_ASSIGN(const std::string text, readTextFile(file, kMostSweepBytes));
    std::int64_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        begin = end + 1;
        ++number;
        if (end == text.size() && !keyOfLine(line, file, number)) {
            note = file + ":" + std::to_string(number) +
                   ": the line is cut and was dropped; its point is computed again";
            return {};
        }
        FABRICAST_TRY(takeLine(line, file, number, places, lines));
    }
    return {};
}

}  // namespace fabricast
