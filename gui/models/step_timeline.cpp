#include "gui/models/step_timeline.h"

#include "planner/base/quantity_text.h"
#include "planner/report/compared_words.h"
#include "planner/report/durations.h"
#include "planner/spec/runtime_names.h"
#include "simulator/engine/sim_names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// More stages than this are too thin to read; the first and the last ones are shown.
constexpr std::size_t kMostStages = 16;
/// With more of them nothing else would be seen.
constexpr std::size_t kMostArrows = 300;

using LaneKey = std::pair<ActorIndex, SimStream>;

const char* laneWords(SimStream stream) {
    switch (stream) {
        case SimStream::Compute:
            return "compute";
        case SimStream::Tensor:
            return "tensor parallel";
        case SimStream::Expert:
            return "context, experts";
        case SimStream::Data:
            return "data parallel";
        case SimStream::Pipeline:
            return "pipeline";
        case SimStream::Copy:
            return "copies";
        case SimStream::Host:
            return "host";
        case SimStream::Count_:
            break;
    }
    return "";
}

bool isShownStage(const Simulation& simulation, ActorIndex actor) {
    const std::size_t stages = simulation.stages();
    return actor < stages &&
           (stages <= kMostStages || actor < kMostStages / 2 || actor + kMostStages / 2 >= stages);
}

/// What is drawn: ops that take time, in the order of their start on each lane.
class LaneWriter {
public:
    explicit LaneWriter(const Simulation& simulation)
        : simulation_(simulation), critical_(simulation.step.program.ops().size(), 0) {
        for (const OpIndex op : simulation.step.path.ops) {
            critical_[op] = 1;
        }
    }

    TimelineValues take() && {
        addSpans();
        addArrows();
        addCurves();
        return std::move(values_);
    }

private:
    [[nodiscard]] const std::vector<SimOp>& ops() const { return simulation_.step.program.ops(); }
    [[nodiscard]] double startOf(OpIndex op) const {
        return secondsOf(simulation_.step.run.start[op]);
    }
    [[nodiscard]] double endOf(OpIndex op) const { return secondsOf(simulation_.step.run.end[op]); }

    void addSpans() {
        std::map<LaneKey, std::vector<OpIndex>> byLane;
        for (OpIndex op = 0; op < ops().size(); ++op) {
            if (isShownStage(simulation_, ops()[op].actor) && endOf(op) > startOf(op)) {
                byLane[{ops()[op].actor, ops()[op].stream}].push_back(op);
            }
        }
        for (auto& [key, ofLane] : byLane) {
            std::ranges::stable_sort(
                ofLane, [this](OpIndex a, OpIndex b) { return startOf(a) < startOf(b); });
            lanes_[key] = static_cast<std::uint32_t>(values_.lanes.size());
            values_.lanes.push_back(laneOf(key, ofLane));
        }
    }

    SpanLane laneOf(const LaneKey& key, const std::vector<OpIndex>& ofLane) {
        SpanLane lane{.name = "stage " + std::to_string(key.first) + " " + laneWords(key.second)};
        double until = 0.0;
        for (const OpIndex op : ofLane) {
            const double start = std::max(until, startOf(op));  // transfers may run side by side
            const double end = std::max(start, endOf(op));
            if (end <= start) {
                continue;
            }
            lane.start.push_back(start);
            lane.end.push_back(end);
            lane.kind.push_back(kindOf(ops()[op]));
            lane.label.push_back(labelOf(ops()[op]));
            lane.critical.push_back(critical_[op]);
            until = end;
        }
        return lane;
    }

    /// Its place in the legend, which has what occurs.
    std::uint8_t kindOf(const SimOp& op) {
        const auto [entry, isNew] =
            kinds_.emplace(op.kind, static_cast<std::uint8_t>(values_.kinds.size()));
        if (isNew) {
            values_.kinds.emplace_back(nameOf(op.kind));
        }
        return entry->second;
    }

    std::uint32_t labelOf(const SimOp& op) {
        std::string text(nameOf(op.kind));
        if (op.microBatch >= 0) {
            text += " " + std::to_string(op.microBatch);
        }
        const auto [entry, isNew] =
            labels_.emplace(text, static_cast<std::uint32_t>(values_.labels.size()));
        if (isNew) {
            values_.labels.push_back(text);
        }
        return entry->second;
    }

    void addArrows() {
        if (simulation_.step.program.hops().size() > kMostArrows) {
            return;
        }
        for (const SimHop& hop : simulation_.step.program.hops()) {
            const auto from = lanes_.find({hop.from, SimStream::Compute});
            const auto to = lanes_.find({hop.to, SimStream::Compute});
            const bool isBetween = hop.from != hop.to && hop.made != kNoOp;
            if (isBetween && from != lanes_.end() && to != lanes_.end()) {
                values_.arrows.push_back({.fromLane = from->second,
                                          .fromTime = endOf(hop.made),
                                          .toLane = to->second,
                                          .toTime = endOf(hop.op),
                                          .critical = critical_[hop.op] != 0});
            }
        }
    }

    void addCurves() {
        for (const MemoryCurve& curve : simulation_.curves) {
            StepCurve shown{.name = "memory of stage " + std::to_string(curve.stage)};
            for (const MemoryPoint& point : curve.points) {
                shown.times.push_back(secondsOf(point.at));
                shown.bytes.push_back(static_cast<double>(point.bytes.total().count()));
            }
            values_.curves.push_back(std::move(shown));
        }
    }

    const Simulation& simulation_;
    std::vector<std::uint8_t> critical_;
    std::map<LaneKey, std::uint32_t> lanes_;
    std::map<SimKind, std::uint8_t> kinds_;
    std::map<std::string, std::uint32_t> labels_;
    TimelineValues values_;
};

}  // namespace

TimelineValues stepTimeline(const Simulation& simulation) {
    return LaneWriter(simulation).take();
}

namespace {

/// What a GPU has beside the tensors that the curves are of.
std::string memoryNote(const MemoryBreakdown& memory, const RuntimeNames& names) {
    if (memory.fullest >= memory.stages.size()) {
        return "";
    }
    const Bytes requested = memory.stages[memory.fullest].requested;
    return " The memory is that of tensors; the " + std::string(names.runtime) + " context, " +
           std::string(names.collectives) + "'s buffers and rounding, " +
           shortText(memory.peak.value - requested) + ", come on top.";
}

}  // namespace

std::string timelineHeadline(const Simulation& simulation) {
    const double difference = simulation.step.difference();
    const Seconds simulated = seconds(simulation.step.run.makespan);
    const double bubble = secondsOf(simulation.step.path.of(PathPart::Bubble)) / simulated.count();
    return "Event by event, a step takes " + durationText(simulated) + ": " +
           comparedText(difference, "the forecast") + ". The busiest stage waits " +
           percentText(bubble) + " of it for other stages." +
           memoryNote(simulation.memory, runtimeNames(simulation.scenario.cluster.node.gpu.vendor));
}

}  // namespace fabricast
