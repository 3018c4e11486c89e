#include "machine/imported_record.h"

#include "planner/text/text_file.h"
#include "probes/record/json_line.h"
#include "probes/record/measurement.h"

#include <utility>

namespace fabricast {
namespace {

/// Job logs hold more than the output of the tests.
constexpr std::size_t kMostLogBytes = std::size_t{256} << 20;

}  // namespace

Result<MergedMeasurements> importNcclTests(const std::vector<std::string>& logs,
                                           const NcclTestsHint& hint) {
    std::vector<MeasurementRecord> records;
    for (const std::string& log : logs) {
        FABRICAST_ASSIGN(const std::string text, readTextFile(log, kMostLogBytes));
        FABRICAST_ASSIGN(MeasurementRecord record, parseNcclTests(text, sourceName(log), hint));
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

Result<void> writeRecord(const MergedMeasurements& measured, const std::string& path) {
    const std::string program =
        measured.sittings.empty() ? std::string() : measured.sittings.front().program;
    std::string text = probe::JsonLine()
                           .add("schema", "fabricast.measurements/1")
                           .add("machine", measured.machine)
                           .add("program", program)
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
    return writeTextFile(path, text);
}

}  // namespace fabricast
