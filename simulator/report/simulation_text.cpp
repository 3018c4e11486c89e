#include "planner/base/quantity_text.h"
#include "planner/report/memory_report.h"
#include "planner/report/note_line.h"
#include "planner/report/scales.h"
#include "planner/report/subject_words.h"
#include "planner/report/table.h"
#include "planner/result/memory_names.h"
#include "simulator/report/path_names.h"
#include "simulator/report/shown_stages.h"
#include "simulator/report/simulation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

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
                                  percentText(secondsOf(time) / all)});
        }
    }
    return table;
}

/// "3", and "3 slow" in the replica with the slow GPUs.
std::string actorName(const Simulation& simulation, std::size_t actor) {
    return simulation.isSlowReplica(actor) ? std::to_string(actor - simulation.stages()) + " slow"
                                           : std::to_string(actor);
}

/// What each shown stage's streams are busy for, of the step.
Table stageTable(const Simulation& simulation) {
    const SimulatedStep& step = simulation.step;
    const SimTime all = step.run.makespan;
    Table table{{{step.expanded() ? "rank" : "stage", Align::Right}}, {}};
    std::vector<SimStream> streams;
    for (const auto& [stream, title] :
         {std::pair<SimStream, const char*>{SimStream::Compute, "kernels"},
          {SimStream::Tensor, "tensor"},
          {SimStream::Expert, "context, experts"},
          {SimStream::Data, "data"},
          {SimStream::Pipeline, "transfers"},
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
        std::vector<std::string> row = {actorName(simulation, actor)};
        for (const SimStream stream : streams) {
            row.push_back(
                percentText(step.path.busy[actor][static_cast<std::size_t>(stream)] / all));
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
                 {"most loaded", Align::Right},
                 {""}},
                {}};
    for (const LinkUse& use : links) {
        if (use.most > 0.0) {
            table.rows.push_back({use.name,
                                  std::to_string(use.links),
                                  percentText(use.mean),
                                  percentText(use.most),
                                  use.fullest});
        }
    }
    return table;
}

/// When and where the stage with the highest peak reaches it.
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

/// "1.3x in stage 0, 2x on node0/nic2-leaf2, leaf3 failed".
std::string slowText(const StepDetail& detail) {
    std::string text;
    for (const SlowGpu& gpu : detail.slow) {
        text +=
            fmt::format("{}{:.4g}x in stage {}", text.empty() ? "" : ", ", gpu.factor, gpu.stage);
    }
    for (const SlowLink& slow : detail.slowLinks) {
        text += fmt::format("{}{:.4g}x on {}", text.empty() ? "" : ", ", slow.factor, slow.link);
    }
    for (const std::string& name : detail.failed) {
        text += (text.empty() ? "" : ", ") + name + " failed";
    }
    return text;
}

/// The step compared with its forecast, and with the step without slow GPUs.
std::string simulationHead(const Simulation& simulation) {
    const SimulatedStep& step = simulation.step;
    const double simulated = secondsOf(step.run.makespan);
    const double forecast = step.forecast.step.value.count();
    const TimeScale scale = timeScaleFor(std::max(simulated, forecast));
    std::string text = fmt::format("SIMULATED  {}  forecast {}, {:+.2f} %\n",
                                   scale.withUnit(simulated),
                                   scale.withUnit(forecast),
                                   hundredths(100.0 * step.difference()));
    if (simulation.undisturbed) {
        const double usual = simulation.undisturbed->count();
        text += fmt::format("  with {} ({}); without them {}: +{:.2f} %\n",
                            step.detail.failed.empty() ? "stragglers" : "failures",
                            slowText(step.detail),
                            scale.withUnit(usual),
                            100.0 * (simulated / usual - 1.0));
    }
    return text + subjectLine(simulation.scenario, Subject::Said) + "\n";
}

/// Which stage is busiest, and what runs on each.
Report busyReport(const Simulation& simulation) {
    const SimulatedStep& step = simulation.step;
    const std::size_t busiest = step.path.busiest;
    const bool slow = simulation.isSlowReplica(busiest);
    Report report(
        fmt::format("{} {} of {}{} is the busiest; utilisation by stream, share of the step\n",
                    step.expanded() ? "rank" : "stage",
                    slow ? busiest - simulation.stages() : busiest,
                    step.expanded() ? step.path.busy.size() : simulation.stages(),
                    slow ? ", in the slow replica," : ""));
    return std::move(report.add(stageTable(simulation)).add("\n"));
}

/// How full links are, and what of the step that costs.
Report linksReport(const SimulatedStep& step) {
    const Table links = linkTable(step.links);
    if (links.rows.empty()) {
        return {};
    }
    const double all = secondsOf(step.run.makespan);
    Report report;
    if (secondsOf(step.slowed) > 1e-4 * all) {
        report.add(fmt::format("waiting for full links: {} of the critical path\n",
                               timeScaleFor(all).withUnit(secondsOf(step.slowed))));
    }
    return std::move(report.add(links).add("\n"));
}

}  // namespace

Report simulationReport(const Simulation& simulation) {
    const MemoryBreakdown& memory = simulation.memory;
    Report report(std::string(verdictWord(memory.verdict)) + "  ");
    if (simulation.run) {
        report.add(runReport(*simulation.run)).add("\n" + simulationHead(simulation));
    } else {
        report.add(simulationHead(simulation)).add(pathTable(simulation.step)).add("\n");
        report.add(busyReport(simulation)).add(linksReport(simulation.step));
    }
    std::string text = fmt::format("memory: {} of {}, {} (stage {}{})\n",
                                   shortText(memory.peak.value),
                                   shortText(memory.capacity),
                                   fitText(memory.verdict),
                                   memory.fullest,
                                   peakText(simulation));
    for (const std::string& note : simulation.notes) {
        text += (&note == simulation.notes.data() ? "\n" : "") + noteLine(note) + "\n";
    }
    return std::move(report.add(text));
}

}  // namespace fabricast
