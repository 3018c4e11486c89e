#include "tests/programs/schedule_rows/recorded_schedules.h"

#include "planner/schedule/draw_timeline.h"
#include "planner/schedule/order_kind.h"
#include "planner/schedule/pipeline_span.h"
#include "planner/text/json_document.h"
#include "tests/programs/schedule_rows/rendezvous.h"

#include <fstream>
#include <map>
#include <stdexcept>

namespace fabricast {
namespace {

struct Name {
    ScheduleKind schedule;
    bool expertOverlap = false;
};

Name scheduleNamed(const std::string& name) {
    static const std::map<std::string, Name> names = {
        {"GPipe", {ScheduleKind::Gpipe}},
        {"1F1B", {ScheduleKind::OneFOneB}},
        {"1f1b", {ScheduleKind::OneFOneB}},
        {"TrainSchedule", {ScheduleKind::OneFOneB}},
        {"LoopedBFS", {ScheduleKind::LoopedBfs}},
        {"Interleaved1F1B", {ScheduleKind::Interleaved}},
        {"interleaved", {ScheduleKind::Interleaved}},
        {"interleaved_overlap_ep", {ScheduleKind::Interleaved, true}},
        {"InterleavedZeroBubble", {ScheduleKind::InterleavedZb}},
        {"ZBVZeroBubble", {ScheduleKind::ZbV}},
        {"DualPipeV", {ScheduleKind::DualPipeV}},
        {"DualPipeVSchedule", {ScheduleKind::DualPipeV}},
        {"v-half", {ScheduleKind::VHalf}},
        {"v-min", {ScheduleKind::VMin}}};
    return names.at(name);
}

template <class T>
std::string joined(const std::vector<T>& values) {
    std::string text;
    for (const T& value : values) {
        text += (text.empty() ? "" : " ") + std::to_string(value);
    }
    return text;
}

std::int64_t integerOf(const JsonValue& object, std::string_view key) {
    const JsonValue* value = object.find(key);
    return value == nullptr || value->is(JsonValue::Kind::Null) ? 0 : value->integer({}).value();
}

std::string textOf(const JsonValue& object, std::string_view key) {
    return object.find(key)->text().value();
}

std::vector<std::int64_t> integersOf(const JsonValue& object, std::string_view key) {
    std::vector<std::int64_t> values;
    for (const JsonValue& item : object.find(key)->items()) {
        values.push_back(item.integer({}).value());
    }
    return values;
}

/// What differs between a recorded order and ours, or nothing.
std::string orderDifference(const JsonValue& row, const ActionOrder& order) {
    const auto recorded = row.find("ranks")->items();
    for (std::size_t rank = 0; rank < recorded.size(); ++rank) {
        const std::string theirs = recorded[rank].text().value();
        const std::string ours = actionsText(order.ranks.at(rank));
        if (theirs != ours) {
            return "rank " + std::to_string(rank) + " is " + ours + ", not " + theirs;
        }
        const InFlight peaks = inFlight(order.ranks[rank]);
        const InFlight known{integersOf(row, "peak_w").at(rank),
                             integersOf(row, "peak_b").at(rank),
                             integersOf(row, "pending_w").at(rank)};
        if (peaks != known) {
            return "in-flight peaks of rank " + std::to_string(rank);
        }
    }
    const std::vector<std::int64_t> places = integersOf(row, "rank_of_stage");
    for (std::size_t stage = 0; stage < places.size(); ++stage) {
        if (order.rankOf(static_cast<std::int64_t>(stage), 0) != places[stage]) {
            return "stage " + std::to_string(stage) + " is on another rank";
        }
    }
    return {};
}

template <class Time>
std::string spanText(const PipelineSpan<Time>& span) {
    std::vector<std::int64_t> busy(span.busy.begin(), span.busy.end());
    std::vector<std::int64_t> end(span.end.begin(), span.end.end());
    return std::to_string(static_cast<std::int64_t>(span.makespan)) + " | " + joined(busy) + " | " +
           joined(end);
}

std::string timeDifference(const CsvTable& table, std::size_t row) {
    const auto chosen = frameworkOrder(requestOf(table, row)).value();
    const PairMode mode =
        table.text(row, "pair") == "atomic" ? PairMode::Atomic : PairMode::Sequential;
    const StepList steps = sortSteps(actionOrder(chosen.kind, chosen.shape), mode).value();
    const PassTimes times = parsePassTimes(table.text(row, "durations"),
                                           table.text(row, "p2p"),
                                           static_cast<std::size_t>(steps.stages),
                                           passesOf(steps))
                                .value();
    const Receive receive = table.text(row, "recv") == "block" ? Receive::Block : Receive::Overlap;
    SpanClock<std::int64_t> ticks;
    const std::string exact = spanText(ticks.time(steps, {times.ticks, times.handOver, receive}));
    const std::vector<double> seconds(times.ticks.begin(), times.ticks.end());
    SpanClock<double> clock;
    const std::string real =
        spanText(clock.time(steps, {seconds, static_cast<double>(times.handOver), receive}));
    const std::string recorded = table.text(row, "makespan") + " | " + table.text(row, "busy") +
                                 " | " + table.text(row, "end");
    if (exact != recorded) {
        return exact + ", not " + recorded;
    }
    return real == exact ? "" : "in seconds " + real + ", in ticks " + exact;
}

P2pMode modeNamed(const std::string& name) {
    return name == "overlap"         ? P2pMode::Overlap
           : name == "overlap_flush" ? P2pMode::OverlapFlush
                                     : P2pMode::Batch;
}

/// Of a row of comms.csv.
std::string replayDifference(const CsvTable& table, std::size_t row) {
    const ScheduleRequest request = requestOf(table, row);
    const FrameworkOrder order = frameworkOrder(request).value();
    const CommProgram program =
        commProgram(request.framework, order, modeNamed(table.text(row, "p2p_mode"))).value();
    const StepList steps =
        sortSteps(actionOrder(order.kind, order.shape), PairMode::Atomic).value();
    const PassTimes times = parsePassTimes(table.text(row, "durations"),
                                           table.text(row, "x"),
                                           static_cast<std::size_t>(steps.stages),
                                           passesOf(steps))
                                .value();
    const auto span = replay(program, times.ticks, times.handOver);
    const std::string ours = span ? std::to_string(span->makespan) : "deadlock";
    const std::string recorded = table.text(row, "makespan");
    return ours == recorded ? "" : ours + ", not " + recorded + " " + table.text(row, "p2p_mode");
}

/// "framework/schedule/p4v2m8n4", as a row's id says it.
ScheduleRequest requestNamed(const std::string& id) {
    const std::size_t first = id.find('/');
    const std::size_t second = id.find('/', first + 1);
    const auto number = [&id, second](char letter) -> std::int64_t {
        const std::size_t at = id.find(letter, second);
        return at == std::string::npos ? 0 : std::stoll(id.substr(at + 1));
    };
    return requestOf(id.substr(0, first),
                     id.substr(first + 1, second - first - 1),
                     {.ranks = number('p'),
                      .chunks = number('v'),
                      .microBatches = number('m'),
                      .group = number('n')});
}

std::string refusalDifference(const CsvTable& table, std::size_t row) {
    const std::string recorded = table.text(row, "exception") + ": " + table.text(row, "message");
    const auto chosen = frameworkOrder(requestOf(table, row));
    if (chosen) {
        return "is accepted, not refused with " + recorded;
    }
    const std::string& ours = chosen.error().why;
    return ours.substr(0, recorded.size()) == recorded ? "" : ours + ", not " + recorded;
}

template <class Difference>
Comparison compareRows(const std::string& file, Difference difference) {
    const CsvTable table = CsvTable::read(file);
    Comparison answer;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (!table.text(row, "setting").empty() || table.text(row, "exception") == "RecorderSkip") {
            continue;
        }
        ++answer.rows;
        if (const std::string text = difference(table, row); !text.empty()) {
            answer.differences.push_back(table.text(row, "id") + " " +
                                         table.text(row, "durations") + " p2p " +
                                         table.text(row, "p2p") + ": " + text);
        }
    }
    return answer;
}

}  // namespace

ScheduleRequest requestOf(const std::string& framework,
                          const std::string& schedule,
                          const PipelineShape& shape) {
    const Name name = scheduleNamed(schedule);
    return {.framework = frameworkOf(framework).value(),
            .schedule = name.schedule,
            .expertOverlap = name.expertOverlap,
            .shape = shape};
}

ScheduleRequest requestOf(const CsvTable& table, std::size_t row) {
    return requestOf(table.text(row, "framework"),
                     table.text(row, "schedule"),
                     {.ranks = table.integer(row, "pp"),
                      .chunks = table.integer(row, "v"),
                      .microBatches = table.integer(row, "m"),
                      .group = table.integer(row, "n")});
}

Comparison compareOrders(const std::string& file) {
    std::ifstream lines(file);
    Comparison answer;
    for (std::string line; std::getline(lines, line);) {
        const JsonValue row = parseJson(line, file).value();
        const auto chosen = frameworkOrder(requestOf(textOf(row, "framework"),
                                                     textOf(row, "schedule"),
                                                     {.ranks = integerOf(row, "pp"),
                                                      .chunks = integerOf(row, "v"),
                                                      .microBatches = integerOf(row, "m"),
                                                      .group = integerOf(row, "n")}));
        ++answer.rows;
        const std::string difference =
            chosen ? orderDifference(row, actionOrder(chosen->kind, chosen->shape))
                   : "refused: " + chosen.error().text();
        if (!difference.empty()) {
            answer.differences.push_back(textOf(row, "id") + ": " + difference);
        }
    }
    return answer;
}

Comparison comparePrograms(const std::string& file) {
    std::ifstream lines(file);
    Comparison answer;
    for (std::string line; std::getline(lines, line);) {
        const JsonValue row = parseJson(line, file).value();
        const ScheduleRequest request = requestNamed(textOf(row, "id"));
        const CommProgram program = commProgram(request.framework,
                                                frameworkOrder(request).value(),
                                                modeNamed(textOf(row, "p2p_mode")))
                                        .value();
        ++answer.rows;
        const auto recorded = row.find("ranks")->items();
        for (std::size_t rank = 0; rank < recorded.size(); ++rank) {
            const std::string ours = programText(program.at(rank));
            const std::string theirs = recorded[rank].text().value();
            if (ours != theirs) {
                answer.differences.push_back(textOf(row, "id") + " " + textOf(row, "p2p_mode") +
                                             " rank " + std::to_string(rank) + " calls\n" + ours +
                                             ", not\n" + theirs);
                break;
            }
        }
    }
    return answer;
}

Comparison compareReplays(const std::string& file) {
    return compareRows(file, &replayDifference);
}

Comparison compareTimes(const std::string& file) {
    return compareRows(file, &timeDifference);
}

Comparison compareRefusals(const std::string& file) {
    return compareRows(file, &refusalDifference);
}

}  // namespace fabricast
