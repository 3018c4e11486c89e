#include "planner/report/collective_report.h"

#include "planner/base/quantity_text.h"
#include "planner/report/begin_answer.h"
#include "planner/report/note_line.h"
#include "planner/report/plain_number.h"
#include "planner/report/subject_words.h"
#include "planner/text/json_text.h"

#include <fmt/format.h>

#include <span>
#include <string_view>

namespace fabricast {
namespace {

double algorithmRate(const CollectiveTiming& timing) {
    return static_cast<double>(timing.size.count()) / timing.seconds.count();
}

double busRate(const CollectiveAnswer& answer, const CollectiveTiming& timing) {
    return algorithmRate(timing) * busFactor(answer.kind, answer.ranks);
}

std::span<const CollectiveTiming> shownTimings(const CollectiveAnswer& answer) {
    return answer.curve.empty() ? std::span(&answer.asked, 1) : std::span(answer.curve);
}

std::string gigabytes(double rate) {
    return plainNumber(rate * 1e-9, 4);
}

Table sizeTable(const CollectiveAnswer& answer) {
    Table table{{{"size", Align::Right},
                 {"time", Align::Right},
                 {"algbw GB/s", Align::Right},
                 {"busbw GB/s", Align::Right},
                 {"algorithm"},
                 {"protocol"},
                 {"channels", Align::Right}},
                {}};
    for (const CollectiveTiming& timing : shownTimings(answer)) {
        table.rows.push_back({shortText(timing.size, UnitStyle::Decimal),
                              shortText(timing.seconds),
                              gigabytes(algorithmRate(timing)),
                              gigabytes(busRate(answer, timing)),
                              std::string(algorithmName(timing.algorithm)),
                              std::string(protocolName(timing.protocol)),
                              std::to_string(timing.channels)});
    }
    return table;
}

std::string headText(const CollectiveAnswer& answer) {
    const CollectiveTiming& asked = answer.asked;
    return fmt::format("{} of {} over {} ranks: {}, busbw {} GB/s",
                       collectiveName(answer.kind),
                       shortText(asked.size, UnitStyle::Decimal),
                       grouped(answer.ranks),
                       shortText(asked.seconds),
                       gigabytes(busRate(answer, asked)));
}

std::string_view busFormula(CollectiveKind kind) {
    switch (kind) {
        case CollectiveKind::AllReduce:
            return "algbw x 2(n-1)/n";
        case CollectiveKind::AllGather:
        case CollectiveKind::ReduceScatter:
        case CollectiveKind::AllToAll:
            return "algbw x (n-1)/n";
        case CollectiveKind::Broadcast:
        case CollectiveKind::Reduce:
        case CollectiveKind::SendReceive:
            break;
    }
    return "algbw";
}

std::string whyText(const CollectiveAnswer& answer) {
    const CollectiveTiming& asked = answer.asked;
    const double factor = asked.seconds / asked.modelled;
    const std::string measured =
        answer.measured.empty()
            ? "no measurement corrects it"
            : fmt::format("x {:.3f} by the measurements of {}", factor, answer.measured);
    return fmt::format(
        "group: {} ranks, {} in each of {} {}, whose NICs are its own\n"
        "time: {} by {}'s own model; {}\n"
        "each rank sends {}\n"
        "algbw = size / time; busbw = {}, as nccl-tests prints them\n",
        grouped(answer.ranks),
        grouped(answer.perNode),
        grouped(answer.nodes),
        answer.nodes == 1 ? "node" : "nodes",
        shortText(asked.modelled),
        answer.library,
        measured,
        shortText(asked.sent, UnitStyle::Decimal),
        busFormula(answer.kind));
}

void addTiming(JsonText& json, const CollectiveAnswer& answer, const CollectiveTiming& timing) {
    json.add("bytes", timing.size);
    json.add("seconds", timing.seconds.count());
    json.add("algbw_bytes_per_s", algorithmRate(timing));
    json.add("busbw_bytes_per_s", busRate(answer, timing));
    json.add("algorithm", algorithmName(timing.algorithm));
    json.add("protocol", protocolName(timing.protocol));
    json.add("channels", timing.channels);
    json.add("sent_bytes", timing.sent);
    json.add("modelled_seconds", timing.modelled.count());
}

}  // namespace

namespace {

/// "measured on these GPUs with this number of ranks (h100-infiniband)".
std::string evidenceText(const CollectiveAnswer& answer) {
    constexpr std::string_view kPrefix = "measured-";
    const std::string& name = answer.measured;
    const std::size_t skipped = name.starts_with(kPrefix) ? kPrefix.size() : 0;
    const std::string more =
        answer.pooled > 1 ? fmt::format(" and {} more: their mean", answer.pooled - 1) : "";
    return fmt::format(
        "{}: {}{}",
        answer.library,
        answer.evidence,
        name.empty() ? std::string() : fmt::format(" ({}{})", name.substr(skipped), more));
}

}  // namespace

std::string collectiveText(const CollectiveAnswer& answer, bool why) {
    std::string text = fmt::format("COLLECTIVE  {}\n  {}, nothing else running\n\n{}\n{}\n",
                                   headText(answer),
                                   clusterText(answer.cluster),
                                   alignedText(sizeTable(answer)),
                                   evidenceText(answer));
    text += why ? whyText(answer) : "";
    for (const std::string& note : answer.notes) {
        text += noteLine(note) + "\n";
    }
    return text;
}

std::string collectiveMarkdown(const CollectiveAnswer& answer) {
    return fmt::format("**COLLECTIVE** {}\n\n{}\n\n{}\n{}\n",
                       headText(answer),
                       clusterText(answer.cluster),
                       markdownText(sizeTable(answer)),
                       evidenceText(answer));
}

std::string collectiveCsv(const CollectiveAnswer& answer) {
    Table table{{{"collective"},
                 {"ranks"},
                 {"bytes"},
                 {"seconds"},
                 {"algbw_bytes_per_s"},
                 {"busbw_bytes_per_s"},
                 {"algorithm"},
                 {"protocol"},
                 {"channels"}},
                {}};
    for (const CollectiveTiming& timing : shownTimings(answer)) {
        table.rows.push_back({std::string(collectiveName(answer.kind)),
                              std::to_string(answer.ranks),
                              std::to_string(timing.size.count()),
                              fmt::format("{:.9g}", timing.seconds.count()),
                              fmt::format("{:.9g}", algorithmRate(timing)),
                              fmt::format("{:.9g}", busRate(answer, timing)),
                              std::string(algorithmName(timing.algorithm)),
                              std::string(protocolName(timing.protocol)),
                              std::to_string(timing.channels)});
    }
    return csvText(table);
}

std::string collectiveJson(const CollectiveAnswer& answer, std::string_view version) {
    JsonText json;
    beginAnswer(json, "fabricast.collective/1", version);
    json.add("collective", collectiveName(answer.kind));
    json.add("cluster", answer.cluster.name);
    json.add("gpu", answer.cluster.node.gpu.name);
    json.add("ranks", answer.ranks);
    json.add("nodes", answer.nodes);
    json.add("library", answer.library);
    json.add("evidence", answer.evidence);
    if (!answer.measured.empty()) {
        json.add("measured", answer.measured);
    }
    addTiming(json, answer, answer.asked);
    if (!answer.curve.empty()) {
        json.beginArray("curve");
        for (const CollectiveTiming& timing : answer.curve) {
            json.beginObject();
            addTiming(json, answer, timing);
            json.end();
        }
        json.end();
    }
    json.add("notes", answer.notes);
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
