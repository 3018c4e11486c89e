#include "machine/nccl_comparison.h"
#include "machine/report_lines.h"
#include "planner/report/plain_number.h"
#include "planner/report/table.h"

#include <fmt/format.h>

#include <array>

namespace fabricast {
namespace {

/// "64 MiB" where that is exact, else the bytes.
std::string sizeText(Bytes bytes) {
    constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::int64_t count = bytes.count();
    std::size_t unit = 0;
    while (unit + 1 < kUnits.size() && count >= 1024 && count % 1024 == 0) {
        count /= 1024;
        ++unit;
    }
    return fmt::format("{} {}", count, kUnits[unit]);
}

std::string microseconds(Seconds time) {
    return plainNumber(time.count() * 1e6, 4);
}

std::string choiceText(std::string_view algorithm, std::string_view protocol) {
    return fmt::format("{} {}", algorithm, protocol);
}

std::string_view evidenceName(CollectiveEvidence evidence) {
    constexpr std::array<std::string_view, 4> kNames = {
        "measured", "near_measured", "modelled", "assumed"};
    return kNames[static_cast<std::size_t>(evidence)];
}

Table rowsOf(const NcclComparison& comparison) {
    Table table{{{"collective"},
                 {"ranks", Align::Right},
                 {"nodes", Align::Right},
                 {"size", Align::Right},
                 {"NCCL picks"},
                 {"us", Align::Right},
                 {"model picks"},
                 {"us", Align::Right},
                 {"off", Align::Right},
                 {"forecast us", Align::Right}},
                {}};
    for (const ComparedEstimate& row : comparison.rows) {
        const NcclEstimate::Way& choice = row.nccl.choice();
        table.rows.push_back({std::string(collectiveName(row.nccl.kind)) +
                                  (row.nccl.registered ? " (registered)" : ""),
                              std::to_string(row.nccl.ranks),
                              std::to_string(row.nccl.nodes),
                              sizeText(row.nccl.bytes),
                              choiceText(choice.algorithm, choice.protocol),
                              microseconds(choice.time),
                              (row.sameChoice() ? "same"
                                                : choiceText(algorithmName(row.model.algorithm),
                                                             protocolName(row.model.protocol))),
                              microseconds(row.model.seconds),
                              fmt::format("{:+.1f} %", 100 * row.off()),
                              microseconds(row.forecast.seconds)});
    }
    return table;
}

void addTime(JsonText& json, std::string_view key, const CollectiveTime& time) {
    json.beginObject(key);
    json.add("algorithm", algorithmName(time.algorithm));
    json.add("protocol", protocolName(time.protocol));
    json.add("seconds", time.seconds.count());
    json.end();
}

void addRow(JsonText& json, const ComparedEstimate& row) {
    const NcclEstimate::Way& choice = row.nccl.choice();
    json.beginObject();
    json.add("collective", collectiveName(row.nccl.kind));
    json.add("ranks", row.nccl.ranks);
    json.add("nodes", row.nccl.nodes);
    json.add("bytes", row.nccl.bytes);
    json.add("registered", row.nccl.registered);
    json.beginObject("nccl");
    json.add("algorithm", choice.algorithm);
    json.add("protocol", choice.protocol);
    json.add("seconds", choice.time.count());
    json.end();
    addTime(json, "model", row.model);
    json.add("same_choice", row.sameChoice());
    json.add("off", row.off());
    json.add("forecast_s", row.forecast.seconds.count());
    json.add("forecast_evidence", evidenceName(row.forecast.evidence));
    json.end();
}

}  // namespace

std::string ncclComparisonText(const NcclComparison& comparison) {
    std::string text = fmt::format(
        "NCCL'S OWN ESTIMATES AND OURS\n  machine {}, {}model {}\n\n",
        comparison.machine,
        comparison.version.empty() ? std::string() : fmt::format("NCCL {}, ", comparison.version),
        comparison.model);
    if (comparison.rows.empty()) {
        text += "  nothing to compare\n";
    } else {
        text += alignedText(rowsOf(comparison));
        text += fmt::format(
            "\nSame choice in {} of {} calls; median error of the model's time {:.1f} %.\n",
            comparison.sameChoices(),
            comparison.rows.size(),
            100 * comparison.medianOff());
    }
    if (!comparison.skipped.empty()) {
        text += "\nSKIPPED\n" + indentedLines(comparison.skipped);
    }
    return text +
           "\nThese are estimates, not measurements, so no profile is made of them. \"model\" is "
           "our\n"
           "implementation of NCCL's cost model, \"forecast\" the same corrected by measurements.\n"
           "To measure: fabricast calibrate --engine nccl --profile measured\n";
}

std::string ncclComparisonJson(const NcclComparison& comparison) {
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast.nccl_comparison/1");
    json.add("machine", comparison.machine);
    json.add("nccl", comparison.version);
    json.add("model", comparison.model);
    json.add("same_choices", comparison.sameChoices());
    json.add("median_off", comparison.medianOff());
    json.beginArray("calls");
    for (const ComparedEstimate& row : comparison.rows) {
        addRow(json, row);
    }
    json.end();
    addTexts(json, "left_out", comparison.skipped);
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
