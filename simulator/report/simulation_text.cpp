#include "simulator/report/simulation_text.h"

#include "planner/base/quantity_text.h"
#include "planner/report/subject_text.h"
#include "planner/report/table.h"
#include "planner/report/time_scale.h"
#include "planner/result/memory_names.h"
#include "simulator/report/path_names.h"
#include "simulator/report/shown_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

double secondsOf(SimTime time) {
    return seconds(time).count();
}

std::string percent(double share) {
    return fmt::format("{:.1f} %", 100.0 * share);
}

/// Never "-0.00".
double hundredths(double value) {
    return std::round(100.0 * value) / 100.0 + 0.0;
}

/// What takes most first.
Table pathTable(const SimulatedStep& step) {
    const double all = secondsOf(step.run.makespan);
    const TimeScale scale = timeScaleFor(all);
    std::vector<std::pair<SimTime, PathPart>> parts;
    for (const auto& [part, name] : namesOf(PathPart{})) {
        parts.emplace_back(step.path.of(part), part);
    }
    std::ranges::stable_sort(parts, [](const auto& a, const auto& b) { return a.first > b.first; });
    Table table{
        {{"critical path"}, {std::string(scale.unit), Align::Right}, {"share", Align::Right}}, {}};
    for (const auto& [time, part] : parts) {
        if (secondsOf(time) > 1e-6 * all) {
            table.rows.push_back({std::string(pathWords(part)),
                                  scale.text(secondsOf(time)),
                                  percent(secondsOf(time) / all)});
        }
    }
    return table;
}

/// What each shown stage's streams are busy for, of the step.
Table stageTable(const SimulatedStep& step) {
    const SimTime all = step.run.makespan;
    Table table{{{step.expanded() ? "rank" : "stage", Align::Right}}, {}};
    std::vector<SimStream> streams;
    for (const auto& [stream, title] :
         {std::pair<SimStream, const char*>{SimStream::Compute, "kernels"},
          {SimStream::Tensor, "tensor"},
          {SimStream::Expert, "context, experts"},
          {SimStream::Data, "data"},
          {SimStream::Pipeline, "hand-overs"},
          {SimStream::Copy, "copies"},
          {SimStream::Host, "host"}}) {
        const auto index = static_cast<std::size_t>(stream);
        if (std::ranges::any_of(step.path.busy,
                                [&](const auto& busy) { return busy[index] > SimTime(0); })) {
            streams.push_back(stream);
            table.columns.push_back({title, Align::Right});
        }
    }
    for (const std::size_t actor : shownActors(step, kMostRows)) {
        std::vector<std::string> row = {std::to_string(actor)};
        for (const SimStream stream : streams) {
            row.push_back(percent(step.path.busy[actor][static_cast<std::size_t>(stream)] / all));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// When the fullest stage is, and in what.
std::string peakText(const Simulation& simulation) {
    const TimeScale scale = timeScaleFor(secondsOf(simulation.step.run.makespan));
    for (const MemoryCurve& curve : simulation.curves) {
        if (curve.stage == static_cast<std::int64_t>(simulation.memory.fullest)) {
            return fmt::format(
                ", at {}: {}", scale.withUnit(secondsOf(curve.peakFrom)), curve.peakMoment);
        }
    }
    return {};
}

}  // namespace

std::string simulationText(const Simulation& simulation) {
    const SimulatedStep& step = simulation.step;
    const MemoryBreakdown& memory = simulation.memory;
    const double simulated = secondsOf(step.run.makespan);
    const double forecast = step.forecast.step.value.count();
    const TimeScale scale = timeScaleFor(std::max(simulated, forecast));
    std::string text = fmt::format("SIMULATED  {}  forecast {}, {:+.2f} %\n{}\n{}\n",
                                   scale.withUnit(simulated),
                                   scale.withUnit(forecast),
                                   hundredths(100.0 * step.difference()),
                                   subjectLine(simulation.scenario, Subject::Said),
                                   alignedText(pathTable(step)));
    text += fmt::format("{} {} of {} is the busiest; what runs on each, of the step\n{}\n",
                        step.expanded() ? "rank" : "stage",
                        step.path.busiest,
                        step.path.busy.size(),
                        alignedText(stageTable(step)));
    text += fmt::format("memory: {} of {}, {} (stage {}{})\n",
                        shortText(memory.peak.value),
                        shortText(memory.capacity),
                        nameOf(memory.verdict),
                        memory.fullest,
                        peakText(simulation));
    for (const std::string& note : simulation.notes) {
        text += (&note == simulation.notes.data() ? "\nassumed: " : "assumed: ") + note + "\n";
    }
    return text;
}

}  // namespace fabricast
