#include "study/measured_trace.h"

#include "planner/text/text_files.h"
#include "planner/text/trace_events.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

using Slice = TraceEvents::Slice;
using LaneId = std::pair<TraceEvents::Word, TraceEvents::Word>;

/// Lanes of one trace that are kept, the busiest of them.
constexpr std::size_t kMostLanes = 32;
constexpr std::string_view kStepName = "ProfilerStep#";

/// From when to when, in microseconds of the trace.
struct StepSpan {
    std::string name;
    double start = 0.0;
    double end = 0.0;
};

bool isOfGpu(std::string_view category) {
    constexpr std::array<std::string_view, 3> kOfGpu = {"kernel", "gpu_memcpy", "gpu_memset"};
    return std::ranges::find(kOfGpu, category) != kOfGpu.end();
}

/// What only marks what is on other lanes.
bool isMark(std::string_view category) {
    return category.find("annotation") != std::string_view::npos || category == "Trace";
}

bool hasPart(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// Of a lane that is no stream of a GPU, as `simulate --trace` names them.
SliceKind kindOfLane(std::string_view lane) {
    for (const std::string_view name : {"TP", "CP/EP", "DP", "PP"}) {
        if (lane == name || lane.ends_with(" " + std::string(name)) ||
            hasPart(lane, std::string(name) + " ")) {
            return SliceKind::Communication;
        }
    }
    return lane.ends_with("copy")   ? SliceKind::Copy
           : lane.ends_with("host") ? SliceKind::Other
                                    : SliceKind::Kernel;
}

SliceKind kindOfGpu(std::string_view name, std::string_view category) {
    if (hasPart(name, "nccl") || hasPart(name, "rccl") || hasPart(name, "AllReduce") ||
        hasPart(name, "ReduceScatter") || hasPart(name, "AllGather")) {
        return SliceKind::Communication;
    }
    if (category == "gpu_memcpy" || category == "gpu_memset" || hasPart(name, "Memcpy")) {
        return SliceKind::Copy;
    }
    return SliceKind::Kernel;
}

class StepOfTrace {
public:
    explicit StepOfTrace(TraceEvents events) : events_(std::move(events)) {}

    Result<MeasuredTrace> read(const std::string& source) {
        gpu_ = std::ranges::any_of(events_.slices,
                                   [this](const Slice& one) { return isOfGpu(categoryOf(one)); });
        collect();
        if (lanes_.empty()) {
            return fail(Error::Code::BadInput,
                        source,
                        "has no slices of a step",
                        "record it with torch.profiler's ProfilerActivity.CUDA");
        }
        const StepSpan span = gpu_ ? stepSpan() : wholeSpan();
        MeasuredTrace trace{
            .source = source, .step = span.name, .lasts = Seconds((span.end - span.start) * 1e-6)};
        for (const auto& [id, slices] : lanes_) {
            addLane(id, slices, span, trace);
        }
        keepBusiest(trace);
        addTimes(trace);
        return trace;
    }

private:
    [[nodiscard]] const std::string& categoryOf(const Slice& slice) const {
        return events_.text(slice.category);
    }

    void collect() {
        for (const Slice& slice : events_.slices) {
            const std::string& category = categoryOf(slice);
            if (gpu_ ? isOfGpu(category) : !isMark(category)) {
                lanes_[{slice.process, slice.thread}].push_back(slice);
            }
        }
        for (auto& [id, slices] : lanes_) {
            // Of nested slices the outer one comes first.
            std::ranges::sort(slices, [](const Slice& a, const Slice& b) {
                return a.start < b.start || (a.start == b.start && a.lasts > b.lasts);
            });
        }
    }

    [[nodiscard]] StepSpan wholeSpan() const {
        StepSpan span{.start = lanes_.begin()->second.front().start};
        span.end = span.start;
        for (const auto& [id, slices] : lanes_) {
            for (const Slice& slice : slices) {
                span.start = std::min(span.start, slice.start);
                span.end = std::max(span.end, slice.start + slice.lasts);
            }
        }
        return span;
    }

    /// The last step that is followed by another one, as the last one may be cut; on the GPU where
    /// its marks are there, else on the host. Only steps in which the GPU does something.
    [[nodiscard]] StepSpan stepSpan() const {
        std::map<bool, std::vector<StepSpan>> steps;  // of the GPU, or of the host
        for (const Slice& slice : events_.slices) {
            const std::string& name = events_.text(slice.name);
            if (name.starts_with(kStepName)) {
                steps[hasPart(categoryOf(slice), "gpu")].push_back(
                    {name, slice.start, slice.start + slice.lasts});
            }
        }
        const StepSpan whole = wholeSpan();
        for (const bool onGpu : {true, false}) {
            std::vector<StepSpan>& found = steps[onGpu];
            std::erase_if(found, [&whole](const StepSpan& step) {
                return step.end <= whole.start || step.start >= whole.end;
            });
            std::ranges::sort(found, {}, &StepSpan::start);
            if (!found.empty()) {
                return found[found.size() > 1 ? found.size() - 2 : 0];
            }
        }
        return whole;
    }

    [[nodiscard]] std::string nameOf(const LaneId& id) const {
        std::string process;
        std::string thread = events_.text(id.second);
        for (const TraceEvents::Name& name : events_.names) {
            if (name.process == id.first && name.thread == id.second) {
                thread = events_.text(name.name);
            } else if (name.process == id.first && name.thread == 0) {
                process = events_.text(name.name);
            }
        }
        const bool several = std::ranges::any_of(
            lanes_, [&id](const auto& lane) { return lane.first.first != id.first; });
        return several && !process.empty() ? process + " " + thread : thread;
    }

    /// Slices under others are left out: the outer ones cover them.
    void addLane(const LaneId& id,
                 const std::vector<Slice>& slices,
                 const StepSpan& span,
                 MeasuredTrace& trace) const {
        MeasuredLane lane{.name = nameOf(id)};
        double until = span.start;
        for (const Slice& slice : slices) {
            const double start = std::max({slice.start, span.start, until});
            const double end = std::min(slice.start + slice.lasts, span.end);
            if (end <= start) {
                continue;
            }
            lane.slices.push_back({Seconds((start - span.start) * 1e-6),
                                   Seconds((end - span.start) * 1e-6),
                                   gpu_ ? kindOfGpu(events_.text(slice.name), categoryOf(slice))
                                        : kindOfLane(lane.name),
                                   events_.text(slice.name)});
            lane.busy += Seconds((end - start) * 1e-6);
            until = end;
        }
        if (!lane.slices.empty()) {
            trace.lanes.push_back(std::move(lane));
        }
    }

    static void keepBusiest(MeasuredTrace& trace) {
        if (trace.lanes.size() <= kMostLanes) {
            return;
        }
        std::ranges::stable_sort(trace.lanes, std::greater<>(), &MeasuredLane::busy);
        for (std::size_t lane = kMostLanes; lane < trace.lanes.size(); ++lane) {
            trace.dropped += static_cast<std::int64_t>(trace.lanes[lane].slices.size());
        }
        trace.lanes.resize(kMostLanes);
    }

    /// By sweeping over where slices begin and end.
    static void addTimes(MeasuredTrace& trace) {
        struct Turn {
            Seconds at;
            bool sends = false;
            int change = 0;
        };
        std::vector<Turn> turns;
        for (const MeasuredLane& lane : trace.lanes) {
            for (const MeasuredSlice& slice : lane.slices) {
                if (slice.kind == SliceKind::Copy || slice.kind == SliceKind::Other) {
                    continue;
                }
                const bool sends = slice.kind == SliceKind::Communication;
                turns.push_back({slice.start, sends, 1});
                turns.push_back({slice.end, sends, -1});
            }
        }
        std::ranges::sort(turns, {}, &Turn::at);
        std::array<int, 2> open = {0, 0};
        Seconds last;
        for (const Turn& turn : turns) {
            const Seconds gap = turn.at - last;
            trace.kernels += open[0] > 0 ? gap : Seconds();
            trace.communication += open[1] > 0 ? gap : Seconds();
            trace.exposed += open[1] > 0 && open[0] == 0 ? gap : Seconds();
            open[turn.sends ? 1 : 0] += turn.change;
            last = turn.at;
        }
    }

    TraceEvents events_;
    bool gpu_ = false;  ///< it has slices of one
    std::map<LaneId, std::vector<Slice>> lanes_;
};

}  // namespace

Result<MeasuredTrace> parseMeasuredTrace(const std::string& text, const std::string& source) {
    FABRICAST_ASSIGN(TraceEvents events, parseTraceEvents(text, source));
    return StepOfTrace(std::move(events)).read(source);
}

Result<MeasuredTrace> readMeasuredTrace(const std::string& path) {
    FABRICAST_ASSIGN(const std::string text, readTextFile(path, kMostTraceBytes));
    return parseMeasuredTrace(text, sourceName(path));
}

}  // namespace fabricast
