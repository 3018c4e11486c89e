#include "simulator/report/simulation_text.h"

#include "planner/base/quantity_text.h"
#include "planner/report/subject_text.h"
#include "planner/report/table.h"
#include "planner/report/time_scale.h"
#include "planner/result/memory_names.h"
#include "simulator/report/path_names.h"

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

/// All stages where they are few; else the ends, the busiest and the least busy.
std::vector<std::size_t> shownActors(const SimulatedStep& step) {
    constexpr std::size_t kMostRows = 8;
    const auto& busy = step.path.busy;
    std::vector<std::size_t> shown;
    if (busy.size() <= kMostRows) {
        for (std::size_t actor = 0; actor < busy.size(); ++actor) {
            shown.push_back(actor);
        }
        return shown;
    }
    const auto kernels = [](const auto& streams) { return streams[0]; };
    const auto least = std::ranges::min_element(busy, {}, kernels) - busy.begin();
    shown = {0, step.path.busiest, static_cast<std::size_t>(least), busy.size() - 1};
    std::ranges::sort(shown);
    shown.erase(std::ranges::unique(shown).begin(), shown.end());
    return shown;
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
    for (const std::size_t actor : shownActors(step)) {
        std::vector<std::string> row = {std::to_string(actor)};
        for (const SimStream stream : streams) {
            row.push_back(percent(step.path.busy[actor][static_cast<std::size_t>(stream)] / all));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// How full the links are that carry something, one way.
Table linkTable(const std::vector<LinkUse>& links) {
    Table table{{{"links"},
                 {"number", Align::Right},
                 {"busy", Align::Right},
                 {"fullest", Align::Right},
                 {""}},
                {}};
    for (const LinkUse& use : links) {
        if (use.most > 0.0) {
            table.rows.push_back({use.name,
                                  std::to_string(use.links),
                                  percent(use.mean),
                                  percent(use.most),
                                  use.fullest});
        }
    }
    return table;
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
    if (secondsOf(step.slowed) > 1e-4 * simulated) {
        text += fmt::format("of the critical path, {} is waiting for links that others use too\n",
                            scale.withUnit(secondsOf(step.slowed)));
    }
    if (const Table links = linkTable(step.links); !links.rows.empty()) {
        text += alignedText(links) + "\n";
    }
    text += fmt::format("memory: {} of {}, {} (stage {})\n",
                        shortText(memory.peak.value),
                        shortText(memory.capacity),
                        nameOf(memory.verdict),
                        memory.fullest);
    for (const std::string& note : simulation.notes) {
        text += (&note == simulation.notes.data() ? "\nassumed: " : "assumed: ") + note + "\n";
    }
    return text;
}

}  // namespace fabricast
