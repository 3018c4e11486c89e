#include "simulator/engine/sim_names.h"
#include "simulator/trace/trace_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// How the lanes are called in a picture, by stream.
constexpr std::array<std::string_view, kSimStreams> kLanes = {
    "compute", "TP", "CP/EP", "DP", "PP", "copy", "host"};

/// The lane of every op. Stage transfers may overlap, which slices of one lane must not:
/// each takes the first lane that is free, those beyond the streams' own where there is none.
std::vector<std::size_t> lanesOf(const SimProgram& program, const SimRun& run) {
    std::vector<std::size_t> lanes;
    std::vector<OpIndex> handOvers;
    for (OpIndex op = 0; op < program.ops().size(); ++op) {
        lanes.push_back(static_cast<std::size_t>(program.ops()[op].stream));
        if (program.ops()[op].stream == SimStream::Pipeline && run.lasted(op) > SimTime(0)) {
            handOvers.push_back(op);
        }
    }
    std::ranges::stable_sort(handOvers, {}, [&run](OpIndex op) { return run.start[op]; });
    std::vector<std::vector<SimTime>> freeAt(program.setting().actors);
    for (const OpIndex op : handOvers) {
        std::vector<SimTime>& free = freeAt[program.ops()[op].actor];
        const auto first =
            std::ranges::find_if(free, [&](SimTime end) { return end <= run.start[op]; });
        const auto number = static_cast<std::size_t>(first - free.begin());
        lanes[op] = number == 0 ? lanes[op] : kSimStreams + number - 1;
        if (first == free.end()) {
            free.push_back(run.end[op]);
        } else {
            *first = run.end[op];
        }
    }
    return lanes;
}

/// "TP"; "PP 2" for concurrent stage transfers.
std::string laneName(std::size_t lane) {
    return lane < kSimStreams ? std::string(kLanes[lane])
                              : fmt::format("PP {}", lane - kSimStreams + 2);
}

/// Microseconds, with every picosecond.
std::string micros(SimTime time) {
    constexpr std::int64_t kMicro = 1'000'000;
    return fmt::format("{}.{:06}", time.count() / kMicro, time.count() % kMicro);
}

/// "2F7": the forward of stage 2 for microbatch 7, as frameworks' schedules write it.
std::string sliceName(const SimOp& op) {
    constexpr std::string_view kLetters = "FBIW";
    const auto kind = static_cast<std::size_t>(op.kind);
    return kind < kLetters.size() && op.microBatch >= 0
               ? fmt::format("{}{}{}", op.stage, kLetters[kind], op.microBatch)
               : std::string(nameOf(op.kind));
}

class TraceWriter {
public:
    TraceWriter(const SimProgram& program, const SimRun& run)
        : program_(program), run_(run), lanes_(lanesOf(program, run)) {}

    std::string write(const std::vector<MemoryCurve>& curves) {
        text_ = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n";
        addNames();
        for (OpIndex op = 0; op < program_.ops().size(); ++op) {
            addSlice(op);
        }
        for (std::size_t hop = 0; hop < program_.hops().size(); ++hop) {
            addArrow(hop, program_.hops()[hop]);
        }
        for (const MemoryCurve& curve : curves) {
            addMemory(curve);
        }
        text_ += "\n]}\n";
        return std::move(text_);
    }

private:
    template <class... Values>
    void event(fmt::format_string<Values...> format, Values&&... values) {
        text_ += first_ ? "" : ",\n";
        first_ = false;
        fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    }

    void addMemory(const MemoryCurve& curve) {
        for (const MemoryPoint& point : curve.points) {
            event(R"({{"ph": "C", "name": "memory", "pid": {}, "ts": {}, )"
                  R"("args": {{"bytes": {}}}}})",
                  curve.actor,
                  micros(point.at),
                  point.bytes.total().count());
        }
    }

    /// Only lanes that have something to show.
    void addNames() {
        std::vector<std::set<std::size_t>> used(program_.setting().actors);
        for (OpIndex op = 0; op < program_.ops().size(); ++op) {
            if (run_.lasted(op) > SimTime(0)) {
                used[program_.ops()[op].actor].insert(lanes_[op]);
            }
        }
        for (std::size_t actor = 0; actor < used.size(); ++actor) {
            event(R"({{"ph": "M", "name": "process_name", "pid": {0}, )"
                  R"("args": {{"name": "rank {0}"}}}})",
                  actor);
            for (const std::size_t lane : used[actor]) {
                event(R"({{"ph": "M", "name": "thread_name", "pid": {}, "tid": {}, )"
                      R"("args": {{"name": "{}"}}}})",
                      actor,
                      lane,
                      laneName(lane));
            }
        }
    }

    void addSlice(OpIndex index) {
        const SimOp& op = program_.ops()[index];
        const SimTime lasted = run_.lasted(index);
        if (lasted > SimTime(0)) {
            event(R"({{"ph": "X", "name": "{}", "cat": "{}", "pid": {}, "tid": {}, )"
                  R"("ts": {}, "dur": {}}})",
                  sliceName(op),
                  nameOf(op.kind),
                  op.actor,
                  lanes_[index],
                  micros(run_.start[index]),
                  micros(lasted));
        }
    }

    /// From the slice that made it to the slice of the transfer; none if either takes no time.
    void addArrow(std::size_t number, const SimHop& hop) {
        if (run_.lasted(hop.made) > SimTime(0) && run_.lasted(hop.op) > SimTime(0)) {
            addArrowEnd("\"s\"", number, hop.made);
            addArrowEnd(R"("f", "bp": "e")", number, hop.op);
        }
    }
    void addArrowEnd(std::string_view phase, std::size_t number, OpIndex index) {
        const SimOp& op = program_.ops()[index];
        event(R"({{"ph": {}, "name": "hand-over", "cat": "pipeline", "id": {}, "pid": {}, )"
              R"("tid": {}, "ts": {}}})",
              phase,
              number,
              op.actor,
              lanes_[index],
              micros(run_.start[index]));
    }

    const SimProgram& program_;
    const SimRun& run_;
    std::vector<std::size_t> lanes_;  ///< by op
    std::string text_;
    bool first_ = true;
};

}  // namespace

std::string traceJson(const SimProgram& program,
                      const SimRun& run,
                      const std::vector<MemoryCurve>& curves) {
    return TraceWriter(program, run).write(curves);
}

}  // namespace fabricast
