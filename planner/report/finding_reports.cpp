#include "planner/report/finding_reports.h"

#include "planner/base/text_digest.h"
#include "planner/text/json_text.h"
#include "planner/text/utf8_text.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <set>
#include <utility>

namespace fabricast {
namespace {

std::string_view levelWord(FindingLevel level) {
    switch (level) {
        case FindingLevel::Error:
            return "error";
        case FindingLevel::Warning:
            return "warning";
        case FindingLevel::Note:
            break;
    }
    return "note";
}

std::string_view severityWord(FindingLevel level) {
    return level == FindingLevel::Error     ? "major"
           : level == FindingLevel::Warning ? "minor"
                                            : "info";
}

void addLocation(JsonText& json, const FilePlace& place) {
    json.beginArray("locations");
    json.beginObject();
    json.beginObject("physicalLocation");
    json.beginObject("artifactLocation");
    json.add("uri", place.file);
    json.end();
    json.beginObject("region");
    json.add("startLine", place.line);
    json.add("startColumn", place.column);
    json.end();
    json.end();
    json.end();
    json.end();
}

/// As the runner reads it: the data of a command, or one of its properties.
std::string commandEscaped(std::string_view text, bool isProperty) {
    std::string safe;
    const std::string read = utf8Text(text);
    for (const char letter : read) {
        const bool mark = isProperty && (letter == ':' || letter == ',');
        if (letter == '%' || letter == '\n' || letter == '\r' || mark) {
            safe += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
        } else {
            safe += letter;
        }
    }
    return safe;
}

/// The number at the end behind a colon, which is cut off.
std::optional<std::int64_t> cutNumber(std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) {
        return std::nullopt;
    }
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, trouble] = std::from_chars(text.data() + colon + 1, end, number);
    if (trouble != std::errc() || stop != end || number < 1) {
        return std::nullopt;
    }
    text.resize(colon);
    return number;
}

}  // namespace

FilePlace placeOf(const std::string& where, const std::string& source) {
    FilePlace place{.file = where};
    const std::optional<std::int64_t> column = cutNumber(place.file);
    const std::optional<std::int64_t> line = column ? cutNumber(place.file) : std::nullopt;
    if (!line) {
        return {.file = source};
    }
    place.line = *line;
    place.column = *column;
    return place;
}

std::string findingsSarif(std::span<const ReportedFinding> findings,
                          std::span<const ReportedRule> rules,
                          std::string_view version) {
    JsonText json;
    json.beginObject();
    json.add("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json.add("version", "2.1.0");
    json.beginArray("runs");
    json.beginObject();
    json.beginObject("tool");
    json.beginObject("driver");
    json.add("name", "fabricast");
    json.add("version", version);
    json.beginArray("rules");
    for (const ReportedRule& rule : rules) {
        json.beginObject();
        json.add("id", rule.id);
        json.beginObject("shortDescription");
        json.add("text", rule.text);
        json.end();
        json.end();
    }
    json.end();
    json.end();
    json.end();
    json.beginArray("results");
    for (const ReportedFinding& finding : findings) {
        json.beginObject();
        json.add("ruleId", finding.rule);
        json.add("level", levelWord(finding.level));
        json.beginObject("message");
        json.add("text", finding.message);
        json.end();
        addLocation(json, finding.place);
        json.end();
    }
    json.end();
    json.end();
    json.end();
    json.end();
    return std::move(json).finish();
}

std::string findingsCodeQuality(std::span<const ReportedFinding> findings) {
    JsonText json;
    json.beginArray();
    std::set<std::string> seen;
    for (const ReportedFinding& finding : findings) {
        std::string key = finding.place.file + "\n" + finding.rule + "\n" +
                          std::to_string(finding.place.line) + ":" +
                          std::to_string(finding.place.column);
        while (!seen.insert(key).second) {
            key += "+";
        }
        json.beginObject();
        json.add("description", finding.message);
        json.add("check_name", finding.rule);
        json.add("fingerprint", textDigest(key));
        json.add("severity", severityWord(finding.level));
        json.beginObject("location");
        json.add("path", finding.place.file);
        json.beginObject("lines");
        json.add("begin", finding.place.line);
        json.end();
        json.end();
        json.end();
    }
    json.end();
    return std::move(json).finish();
}

std::string findingsAnnotations(std::span<const ReportedFinding> findings,
                                std::string_view command) {
    constexpr std::size_t kMostShown = 10;
    std::string text;
    const std::size_t shown = findings.size() <= kMostShown ? findings.size() : kMostShown - 1;
    for (std::size_t i = 0; i < shown; ++i) {
        const ReportedFinding& one = findings[i];
        text += fmt::format("::{} file={},line={},col={},title={}::{}\n",
                            one.level == FindingLevel::Note ? "notice" : levelWord(one.level),
                            commandEscaped(one.place.file, true),
                            one.place.line,
                            one.place.column,
                            commandEscaped(one.rule, true),
                            commandEscaped(one.message, false));
    }
    if (shown < findings.size()) {
        text += fmt::format("::warning title={}::{} more findings are in the log\n",
                            commandEscaped(command, true),
                            findings.size() - shown);
    }
    return text;
}

}  // namespace fabricast
