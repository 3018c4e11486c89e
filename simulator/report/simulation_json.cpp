#include "planner/report/answer_json.h"
#include "planner/report/begin_answer.h"
#include "planner/request/layout_json.h"
#include "planner/result/memory_names.h"
#include "planner/text/json_text.h"
#include "simulator/engine/sim_names.h"
#include "simulator/report/path_names.h"
#include "simulator/report/simulation_report.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

void addPath(JsonText& json, const SimulatedStep& step) {
    json.beginObject("critical_path");
    json.add("ops", step.path.ops.size());
    json.add("busiest", step.path.busiest);
    for (const auto& [part, name] : namesOf(PathPart{})) {
        json.add(std::string(name) + "_s", secondsOf(step.path.of(part)));
    }
    json.end();
}

/// Seconds in which each stream of each stage (or rank) does something.
void addBusy(JsonText& json, const Simulation& simulation) {
    const SimulatedStep& step = simulation.step;
    json.beginArray(step.expanded() ? "ranks" : "stages");
    for (std::size_t actor = 0; actor < step.path.busy.size(); ++actor) {
        json.beginObject();
        if (!step.detail.slow.empty() && !step.expanded()) {
            json.add("stage", actor % simulation.stages());
            json.add("slow_replica",
                     simulation.isSlowReplica(actor) || simulation.scenario.layout.dp == 1);
        }
        for (const auto& [stream, name] : namesOf(SimStream{})) {
            json.add(std::string(name) + "_s",
                     secondsOf(step.path.busy[actor][static_cast<std::size_t>(stream)]));
        }
        json.add("sent_bytes", step.run.sent[actor]);
        json.add("received_bytes", step.run.received[actor]);
        json.end();
    }
    json.end();
}

void addLinks(JsonText& json, const std::vector<LinkUse>& links) {
    json.beginArray("links");
    for (const LinkUse& use : links) {
        json.beginObject();
        json.add("name", use.name);
        json.add("links", use.links);
        json.add("mean_utilisation", use.mean);
        json.add("most_utilisation", use.most);
        json.add("fullest", use.fullest);
        json.end();
    }
    json.end();
}

/// Live bytes from each time on. Of a long step, the most in each of as many stretches as fit.
void addTimeline(JsonText& json, const MemoryCurve& curve) {
    constexpr std::size_t kMostPoints = 4096;
    const std::size_t points = curve.points.size();
    const std::size_t each = (points + kMostPoints - 1) / kMostPoints;
    json.add("timeline_points", points);
    json.beginArray("timeline");
    for (std::size_t first = 0; first < points; first += each) {
        Bytes most;
        for (std::size_t i = first; i < std::min(points, first + each); ++i) {
            most = std::max(most, curve.points[i].bytes.total());
        }
        json.beginObject();
        json.add("t_s", secondsOf(curve.points[first].at));
        json.add("bytes", most);
        json.end();
    }
    json.end();
}

/// The slow GPUs and failed links of the step, and how long it takes without them.
void addSlow(JsonText& json, const Simulation& simulation) {
    if (!simulation.undisturbed) {
        return;
    }
    json.beginArray("stragglers");
    for (const SlowGpu& gpu : simulation.step.detail.slow) {
        json.beginObject();
        json.add("stage", gpu.stage);
        json.add("factor", gpu.factor);
        json.end();
    }
    for (const SlowLink& slow : simulation.step.detail.slowLinks) {
        json.beginObject();
        json.add("link", slow.link);
        json.add("factor", slow.factor);
        json.end();
    }
    json.end();
    json.add("failed", simulation.step.detail.failed);
    json.add("undisturbed_step_s", simulation.undisturbed->count());
}

/// Of the stages that are shown, when they peak.
void addCurve(JsonText& json, const Simulation& simulation, const StageMemory& stage) {
    for (const MemoryCurve& curve : simulation.curves) {
        if (curve.stage == stage.stage) {
            json.add("peak_bytes", curve.peak);
            json.add("peak_at_s", secondsOf(curve.peakFrom));
            json.add("peak_until_s", secondsOf(curve.peakUntil));
            json.add("peak_moment", curve.peakMoment);
            addTimeline(json, curve);
        }
    }
}

}  // namespace

std::string simulationJson(const Simulation& simulation,
                           double wallSeconds,
                           std::string_view version) {
    const SimulatedStep& step = simulation.step;
    JsonText json;
    beginAnswer(json, "fabricast.simulation/1", version);
    json.add("verdict", nameOf(simulation.memory.verdict));
    json.add("model", simulation.scenario.model.name);
    json.add("cluster", simulation.scenario.cluster.name);
    json.add("gpus", simulation.scenario.cluster.gpus());
    json.add("stack", simulation.scenario.stack);
    writeLayout(json, "layout", simulation.scenario.layout);
    json.add("expanded", step.expanded());
    json.add("calls", step.detail.handOvers == HandOvers::Framework);
    json.add("step_s", secondsOf(step.run.makespan));
    writeHeadline(json, "forecast_step_s", step.forecast.step);
    json.add("difference", step.difference());
    addSlow(json, simulation);
    addPath(json, step);
    addBusy(json, simulation);
    addLinks(json, step.links);
    json.add("shared_links_s", secondsOf(step.slowed));
    writeMemory(json, simulation.memory, [&](JsonText& text, const StageMemory& stage) {
        addCurve(text, simulation, stage);
    });
    if (simulation.run) {
        writeRun(json, *simulation.run);
    }
    json.add("events", step.run.events);
    json.add("wall_seconds", wallSeconds);
    json.add("assumed", simulation.notes);
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
