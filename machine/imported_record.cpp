#include "machine/imported_record.h"

#include "planner/text/text_files.h"
#include "probes/record/json_line.h"
#include "probes/record/statistics.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

/// Job logs hold more than the output of the tests.
constexpr std::size_t kMostLogBytes = std::size_t{256} << 20;

/// When a file was last written, as a record says it; empty for what is no regular file.
std::string lastWritten(const std::string& path) {
    constexpr std::int64_t kYear10000 = 253'402'300'800;
    struct stat status {};
    if (path == "-" || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_mtime < 0 || status.st_mtime >= kYear10000) {
        return {};
    }
    const std::chrono::sys_seconds written{std::chrono::seconds(status.st_mtime)};
    const auto day = std::chrono::floor<std::chrono::days>(written);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(written - day);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
                       static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()),
                       time.hours().count(),
                       time.minutes().count(),
                       time.seconds().count());
}

std::set<std::string_view> recordLines(std::string_view text) {
    std::set<std::string_view> lines;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        lines.insert(line);
    }
    return lines;
}

/// What is there has no line that the newer text has not.
Result<void> checkOlderRecord(const std::string& newer, const std::string& path) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) {
        return {};
    }
    const Result<std::string> older = readTextFile(path, kMostLogBytes, ReadFor::Look);
    if (older && std::ranges::includes(recordLines(newer), recordLines(*older))) {
        return {};
    }
    return fail(Error::Code::BadInput,
                "--out",
                path + " is there, and has more than what would replace it; nothing was written",
                "--force, which replaces it, or --out and another file");
}

std::string recordText(const MergedMeasurements& measured) {
    // Of several logs the newest: they are one record now.
    const MeasurementRecord newest =
        measured.sittings.empty() ? MeasurementRecord() : measured.sittings.back();
    std::string text = probe::JsonLine()
                           .add("schema", "fabricast.measurements/1")
                           .add("machine", measured.machine)
                           .add("program", newest.program)
                           .add("begun", newest.begun)
                           .text() +
                       "\n";
    for (const RecordedPoint& point : measured.points) {
        text += probe::lineOf({.point = {point.what, point.settings},
                               .unit = point.unit,
                               .samples = point.samples,
                               .facts = point.facts,
                               .words = point.words,
                               .refused = point.refused}) +
                "\n";
    }
    return text;
}

}  // namespace

Result<MergedMeasurements> importNcclTests(const std::vector<std::string>& logs,
                                           const NcclTestsHint& hint) {
    std::vector<MeasurementRecord> records;
    for (const std::string& log : logs) {
        FABRICAST_ASSIGN(const std::string text, readTextFile(log, kMostLogBytes));
        FABRICAST_ASSIGN(MeasurementRecord record, parseNcclTests(text, sourceName(log), hint));
        if (record.begun.empty()) {  // most logs do not say when they were made
            record.begun = lastWritten(log);
        }
        records.push_back(std::move(record));
    }
    return mergeMeasurements(std::move(records));
}

Result<NcclEstimates> importNcclEstimates(const std::vector<std::string>& dumps) {
    std::vector<NcclEstimates> all;
    for (const std::string& dump : dumps) {
        FABRICAST_ASSIGN(const std::string text, readTextFile(dump, kMostLogBytes));
        FABRICAST_ASSIGN(NcclEstimates one, parseNcclEstimates(text, sourceName(dump)));
        all.push_back(std::move(one));
    }
    return mergeNcclEstimates(std::move(all));
}

Result<void> writeRecord(const MergedMeasurements& measured,
                         const std::string& path,
                         bool replaces) {
    const std::string text = recordText(measured);
    if (!replaces) {
        FABRICAST_TRY(checkOlderRecord(text, path));
    }
    return writeTextFile(path, text);
}

}  // namespace fabricast
