#include "gui/models/measured_lanes.h"

#include "planner/base/quantity_text.h"
#include "planner/report/compared_words.h"
#include "planner/report/durations.h"
#include "planner/report/table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace fabricast {
namespace {

const char* measuredWords(SliceKind kind) {
    switch (kind) {
        case SliceKind::Kernel:
            return "measured kernel";
        case SliceKind::Communication:
            return "measured communication";
        case SliceKind::Copy:
            return "measured copy";
        case SliceKind::Other:
            break;
    }
    return "measured on the host";
}

/// A legend and labels that have each word once.
class MeasuredWriter {
public:
    explicit MeasuredWriter(TimelineValues& values) : values_(values) {}

    void add(const MeasuredLane& from) {
        SpanLane lane{.name = "measured " + from.name};
        for (const MeasuredSlice& slice : from.slices) {
            lane.start.push_back(slice.start.count());
            lane.end.push_back(slice.end.count());
            lane.kind.push_back(kindOf(slice.kind));
            lane.label.push_back(labelOf(slice.name));
        }
        values_.lanes.push_back(std::move(lane));
    }

private:
    std::uint8_t kindOf(SliceKind kind) {
        const auto [entry, isNew] =
            kinds_.emplace(kind, static_cast<std::uint8_t>(values_.kinds.size()));
        if (isNew) {
            values_.kinds.emplace_back(measuredWords(kind));
        }
        return entry->second;
    }
    std::uint32_t labelOf(const std::string& name) {
        const auto [entry, isNew] =
            labels_.emplace(name, static_cast<std::uint32_t>(values_.labels.size()));
        if (isNew) {
            values_.labels.push_back(name);
        }
        return entry->second;
    }

    TimelineValues& values_;
    std::map<SliceKind, std::uint8_t> kinds_;
    std::map<std::string, std::uint32_t> labels_;
};

}  // namespace

void addMeasured(const MeasuredTrace& trace, TimelineValues& values) {
    MeasuredWriter writer(values);
    for (const MeasuredLane& lane : trace.lanes) {
        writer.add(lane);
    }
}

std::string measuredHeadline(const MeasuredTrace& trace, const Simulation& simulation) {
    const Seconds simulated = seconds(simulation.step.run.makespan);
    const double longer = trace.lasts / simulated - 1.0;
    std::string text = "Measured" + (trace.step.empty() ? "" : " (" + trace.step + ")") + ": " +
                       durationText(trace.lasts) + ", " + comparedText(longer, "simulated") +
                       ". Kernels run " + percentText(trace.kernels / trace.lasts) +
                       " of it, communication " + percentText(trace.communication / trace.lasts) +
                       ", of which " + percentText(trace.exposed / trace.lasts) +
                       " beside no kernel.";
    if (trace.dropped > 0) {
        text += " " + grouped(trace.dropped) + " slices of less busy lanes are not shown.";
    }
    return text;
}

}  // namespace fabricast
