// oom_rows FILE.csv: what fabricast says of the runs in a table of out-of-memory messages and
// memory reports, one JSON row per row of the table, in its order. The columns are listed in
// tests/cases/memory/real/README.md.
#include "planner/result/memory_names.h"
#include "planner/text/json_text.h"
#include "planner/text/text_files.h"
#include "tests/programs/real_rows/report_forecast.h"

#include <cstdio>

namespace fabricast {
namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

/// A document on one line: its strings have no line ends.
std::string onOneLine(const std::string& document) {
    std::string line;
    for (std::size_t at = 0; at < document.size(); ++at) {
        if (document[at] == '\n') {
            at = document.find_first_not_of(' ', at + 1);
            if (at == std::string::npos) {
                break;
            }
        }
        line += document[at];
    }
    return line;
}

void addForecast(JsonText& json, const ReportForecast& forecast) {
    const auto add = [&json](const char* key, Bytes bytes) {
        json.add(key, static_cast<double>(bytes.count()) / kGiB);
    };
    const StageMemory& stage = forecast.fullest();
    json.add("verdict", nameOf(forecast.memory.verdict));
    add("allocated_gib", stage.allocated);
    add("reserved_gib", stage.reserved.value);
    add("reserved_high_gib", stage.reserved.hi);
    add("not_pytorch_gib", forecast.notPyTorch());
    add("total_gib", forecast.memory.peak.value);
    add("total_low_gib", forecast.memory.peak.lo);
    add("total_high_gib", forecast.memory.peak.hi);
    add("capacity_gib", forecast.memory.capacity);
    json.add("peak_at", stage.peakAt);
    json.beginArray("assumed");
    for (const std::string& what : forecast.assumed) {
        json.item(what);
    }
    json.end();
}

std::string answered(const MemoryReport& report, const Workbench& bench) {
    const Result<ReportForecast> forecast = forecastReport(report, bench);
    JsonText json;
    json.beginObject();
    json.add("id", report.text("id"));
    json.add("status", forecast ? "ok" : "refused");
    if (forecast) {
        addForecast(json, *forecast);
    } else {
        json.add("why", forecast.error().text());
    }
    json.end();
    return onOneLine(std::move(json).finish());
}

int run(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: oom_rows FILE.csv\n");
        return 2;
    }
    const auto table = readTextFile(argv[1]).and_then(
        [&](const std::string& text) { return parseCsv(text, argv[1]); });
    const auto bench = Workbench::open({}, 1);
    if (!table || !bench) {
        const Error& error = table ? bench.error() : table.error();
        std::fprintf(stderr, "%s\n", error.text().c_str());
        return 2;
    }
    for (const CsvText::Row& row : table->rows) {
        std::printf("%s\n", answered(MemoryReport(*table, row), *bench).c_str());
    }
    return 0;
}

}  // namespace
}  // namespace fabricast

int main(int argc, char** argv) {
    return fabricast::run(argc, argv);
}
