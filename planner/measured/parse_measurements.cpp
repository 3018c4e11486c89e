#include "planner/base/median.h"
#include "planner/base/words.h"
#include "planner/measured/measurements.h"
#include "planner/output/probe_points.h"
#include "planner/profiles/read_measured_collectives.h"
#include "planner/text/json_document.h"
#include "planner/text/json_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::string_view kSchema = "fabricast.measurements/1";
constexpr std::array<std::string_view, 9> kPointKeys = {
    "point", "refused", "unit", "median", "deviation", "n", "facts", "words", "samples"};
constexpr double kMost = 1e300;

double deviationOf(std::vector<double> values, double middle) {
    for (double& value : values) {
        value = std::abs(value - middle);
    }
    return median(std::move(values));
}

Result<void> readName(const JsonValue& value, RecordedPoint& point) {
    FABRICAST_ASSIGN(const std::string text, value.text());
    const std::vector<std::string_view> words = wordsOf(text);
    if (words.empty() || words.front().find('=') != std::string::npos) {
        return tl::unexpected(
            value.problem("does not name a measurement", "write \"gemm m=8192 …\""));
    }
    point.what = words.front();
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::size_t equals = words[i].find('=');
        if (equals == 0 || equals >= words[i].size() - 1) {
            return tl::unexpected(value.problem(
                "has an invalid setting: '" + std::string(words[i]) + "'", "write NAME=VALUE"));
        }
        if (!point.settings.emplace(words[i].substr(0, equals), words[i].substr(equals + 1))
                 .second) {
            return tl::unexpected(
                value.problem("sets '" + std::string(words[i].substr(0, equals)) + "' twice"));
        }
    }
    // As probes write it: one blank between settings, these in their order.
    point.text = point.what;
    for (const auto& [name, setting] : point.settings) {
        point.text.append(" ").append(name).append("=").append(setting);
    }
    return {};
}

Result<void> readSamples(const JsonValue& line, RecordedPoint& point) {
    FABRICAST_ASSIGN(const JsonValue* const samples, line.require("samples"));
    FABRICAST_TRY(samples->expect(JsonValue::Kind::Array));
    point.samples.reserve(samples->items().size());
    for (const JsonValue& item : samples->items()) {
        FABRICAST_ASSIGN(const double sample, item.number(-kMost, kMost));
        const double size = std::abs(sample);
        if (point.unit == "s" && size != 0.0 &&
            !(size >= kLeastMeasured && size <= kMostMeasured)) {
            return tl::unexpected(item.problem("is no time that a machine takes",
                                               "seconds from 1e-12 to 1e10; remove the line"));
        }
        point.samples.push_back(sample);
    }
    point.median = median(point.samples);
    point.deviation = deviationOf(point.samples, point.median);
    return {};
}

Result<RecordedPoint> readPoint(const JsonValue& line, std::string_view program) {
    FABRICAST_TRY(line.onlyKeys(kPointKeys));
    RecordedPoint point;
    point.where = line.where();
    FABRICAST_ASSIGN(const JsonValue* const name, line.require("point"));
    FABRICAST_TRY(readName(*name, point));
    FABRICAST_ASSIGN(point.refused, line.textOr("refused", ""));
    if (line.find("refused") != nullptr) {
        return point;
    }
    FABRICAST_ASSIGN(point.unit, line.textOr("unit", "s"));
    FABRICAST_TRY(readSamples(line, point));
    FABRICAST_TRY(checkRecordedPoint(line, point, program));
    FABRICAST_TRY(readRecordedFacts(line, point, program));
    if (const JsonValue* words = line.find("words")) {
        FABRICAST_TRY(words->expect(JsonValue::Kind::Object));
        for (const JsonValue& word : words->members()) {
            FABRICAST_ASSIGN(std::string text, word.text());
            point.words.emplace(word.name(), std::move(text));
        }
    }
    return point;
}

void flatten(const JsonValue& value,
             const std::string& path,
             std::map<std::string, std::string>& into) {
    const auto put = [&](std::string text) { into[path] = std::move(text); };
    using Kind = JsonValue::Kind;
    if (value.is(Kind::Object)) {
        for (const JsonValue& member : value.members()) {
            flatten(member, path.empty() ? member.name() : path + "." + member.name(), into);
        }
    } else if (value.is(Kind::Array)) {
        std::size_t index = 0;
        for (const JsonValue& item : value.items()) {
            flatten(item, path + "[" + std::to_string(index++) + "]", into);
        }
    } else if (value.is(Kind::String)) {
        put(value.text().value_or(""));
    } else {
        put(value.shown());
    }
}

/// What a machine has a number of, where its probe found how many.
constexpr std::array<std::string_view, 10> kCounts = {"memory_bytes",
                                                      "multiprocessors",
                                                      "l2_bytes",
                                                      "power_limit_w",
                                                      "max_clock_mhz",
                                                      "ranks",
                                                      "nodes",
                                                      "memory",
                                                      "threads",
                                                      "cores"};

Result<void> checkCounts(const JsonValue& machine) {
    constexpr double kMostCounted = 1e18;
    for (const JsonValue& member : machine.members()) {
        FABRICAST_TRY(checkCounts(member));
        if (member.isNumber() && std::ranges::find(kCounts, member.name()) != kCounts.end()) {
            FABRICAST_TRY(member.number(0.0, kMostCounted));
        }
    }
    return {};
}

/// Whose records these are: the probes, and those that are made of logs.
std::vector<std::string_view> programNames() {
    std::vector<std::string_view> names;
    for (const ProbePoint& kind : probePoints()) {
        if (names.empty() || names.back() != kind.program) {
            names.push_back(kind.program);
        }
    }
    return names;
}

Result<void> readHead(const JsonValue& line, MeasurementRecord& record) {
    FABRICAST_TRY(line.expect(JsonValue::Kind::Object));
    const JsonValue* const schema = line.find("schema");
    if (schema == nullptr) {
        return tl::unexpected(
            line.problem("is not the first line of a record: it has no \"schema\"",
                         "use the whole file that a probe wrote with --out"));
    }
    FABRICAST_ASSIGN(const std::string name, schema->text());
    if (name != kSchema) {
        return tl::unexpected(schema->problem("is not \"" + std::string(kSchema) + "\"",
                                              "use a file written by a probe with --out"));
    }
    FABRICAST_ASSIGN(const JsonValue* const machine, line.require("machine"));
    FABRICAST_TRY(machine->expect(JsonValue::Kind::Object));
    FABRICAST_TRY(checkCounts(*machine));
    flatten(*machine, "", record.machine);
    FABRICAST_ASSIGN(record.program, line.textOr("program", ""));
    const std::vector<std::string_view> programs = programNames();
    if (!record.program.empty() && std::ranges::find(programs, record.program) == programs.end()) {
        return tl::unexpected(
            line.find("program")->problem("is \"" + record.program + "\", which is none of " +
                                              fmt::format("{}", fmt::join(programs, ", ")),
                                          "use a file written by a probe with --out"));
    }
    FABRICAST_ASSIGN(record.begun, line.textOr("begun", ""));
    constexpr std::size_t kDayLetters = 10;
    if (!record.begun.empty() && !isDay(std::string_view(record.begun).substr(0, kDayLetters))) {
        return tl::unexpected(line.find("begun")->problem(
            "\"" + record.begun + "\" does not begin with a day of the calendar",
            "the day of the measurement: \"2026-11-20\""));
    }
    return {};
}

/// What helps where a line is damaged and nothing better is said.
Error ofLine(Error error, bool headed) {
    if (error.hint.empty()) {
        error.hint = headed ? "remove that line, and its point is measured again"
                            : "use a file written by a probe with --out";
    }
    return error;
}

Result<RecordedPoint> pointOfLine(std::string_view line,
                                  const std::string& source,
                                  std::int64_t number,
                                  std::string_view program) {
    FABRICAST_ASSIGN(const JsonValue value, parseJsonFrom(line, source, number));
    if (value.find("schema") != nullptr) {
        return fail(Error::Code::BadInput,
                    value.where(),
                    "begins another record, and a file holds one",
                    "head -n " + std::to_string(number - 1) + " and tail -n +" +
                        std::to_string(number) + " to part them, and --from-record with both");
    }
    return readPoint(value, program);
}

Result<void> headOfLine(std::string_view line,
                        const std::string& source,
                        std::int64_t number,
                        MeasurementRecord& record) {
    FABRICAST_ASSIGN(const JsonValue value, parseJsonFrom(line, source, number));
    return readHead(value, record);
}

}  // namespace

Result<MeasurementRecord> parseMeasurements(std::string_view text, const std::string& source) {
    MeasurementRecord record{.source = source};
    std::map<std::string, std::size_t> places;
    std::int64_t number = 0;
    bool headed = false;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        ++number;
        if (line.find_first_not_of(kBlanks) == std::string_view::npos) {
            continue;
        }
        if (!headed) {
            if (const auto head = headOfLine(line, source, number, record); !head) {
                return tl::unexpected(ofLine(head.error(), headed));
            }
            headed = true;
            continue;
        }
        Result<RecordedPoint> point = pointOfLine(line, source, number, record.program);
        if (!point) {
            return tl::unexpected(ofLine(std::move(point).error(), headed));
        }
        const auto [place, isNew] = places.emplace(point->text, record.points.size());
        if (isNew) {
            record.points.push_back(*std::move(point));
        } else {
            record.points[place->second] = *std::move(point);
        }
    }
    if (!headed) {
        return fail(Error::Code::BadInput,
                    source,
                    "is empty: nothing was recorded",
                    "use a file written by a probe with --out");
    }
    return record;
}

}  // namespace fabricast
