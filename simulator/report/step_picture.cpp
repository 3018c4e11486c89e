#include "simulator/report/step_picture.h"

#include "planner/base/quantity_text.h"
#include "planner/report/memory_report.h"
#include "planner/report/scales.h"
#include "planner/report/subject_words.h"
#include "simulator/report/shown_stages.h"
#include "simulator/trace/trace_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace fabricast {
namespace {

/// As many as have a lane.
std::vector<MemoryCurve> drawnCurves(const Simulation& simulation) {
    std::vector<MemoryCurve> curves = simulation.curves;
    if (curves.size() > kMostLanes) {
        const auto shown = shownActors(simulation.step, kMostLanes);
        std::erase_if(curves, [&](const MemoryCurve& curve) {
            return curve.stage != static_cast<std::int64_t>(simulation.memory.fullest) &&
                   std::ranges::count(shown, curve.actor) == 0;
        });
    }
    return curves;
}

}  // namespace

std::string stepPicture(const Simulation& simulation) {
    const SimulatedStep& step = simulation.step;
    const MemoryBreakdown& memory = simulation.memory;
    const double simulated = seconds(step.run.makespan).count();
    return timelineSvg(step.program,
                       step.run,
                       step.path,
                       {.title = fmt::format("{}: a step of {}, at most {} of {}, which {}",
                                             simulation.scenario.model.name,
                                             timeScaleFor(simulated).withUnit(simulated),
                                             shortText(memory.peak.value),
                                             shortText(memory.capacity),
                                             fitText(memory.verdict)),
                        .subtitle = subjectText(simulation.scenario),
                        .curves = drawnCurves(simulation),
                        .stages = memory.stages.size()});
}

}  // namespace fabricast
