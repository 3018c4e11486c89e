#include "planner/memory/fullest_stage.h"

#include "planner/memory/program/pipeline_order.h"
#include "planner/memory/walk_stage.h"
#include "planner/sharding/stage_shape.h"
#include "planner/spec/stage_split.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace fabricast {

namespace {

/// What a stage runs: for each of its chunks the ends of the model it has, and its layers' kinds.
std::string contentOf(const Scenario& scenario,
                      const std::vector<std::int64_t>& layers,
                      std::int64_t stage) {
    std::string content;
    std::int64_t first = 0;
    const auto chunks = static_cast<std::int64_t>(layers.size());
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        const std::int64_t end = first + layers[static_cast<std::size_t>(chunk)];
        if (isOnRank(scenario.layout, chunk, stage)) {
            content += chunk == 0 ? "(" : "[";
            for (std::int64_t layer = first; layer < end; ++layer) {
                content += scenario.model.isSparse(layer) ? 's' : 'd';
            }
            content += chunk + 1 == chunks ? ")" : "]";
        }
        first = end;
    }
    return content;
}

/// Stages that run the same, and have as much in flight.
struct Alike {
    std::int64_t inFlight = 0;
    std::vector<std::int64_t> stages;
};

}  // namespace

/// With one chunk a rank's order says everything, so that one stage stands for all alike; with
/// several, which receives and sends are under way differs between stages.
Result<std::vector<std::int64_t>> stagesThatDecide(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    FABRICAST_ASSIGN(
        const auto layers,
        splitLayers(
            scenario.model.layers,
            {.stages = layout.pp, .chunks = layout.vpp, .pipeline = scenario.settings.pipeline}));
    std::map<std::string, Alike> contents;
    for (std::int64_t stage = 0; stage < layout.pp; ++stage) {
        FABRICAST_ASSIGN(const PipelineOrder order, pipelineOrder(scenario, stage));
        const std::int64_t inFlight = mostInFlight(order);
        Alike& alike = contents[contentOf(scenario, layers, stage)];
        if (inFlight > alike.inFlight) {
            alike = {inFlight, {}};
        }
        if (inFlight == alike.inFlight && (layout.vpp > 1 || alike.stages.empty())) {
            alike.stages.push_back(stage);
        }
    }
    std::vector<std::int64_t> stages;
    for (const auto& [content, alike] : contents) {
        stages.insert(stages.end(), alike.stages.begin(), alike.stages.end());
    }
    std::sort(stages.begin(), stages.end());
    return stages;
}

Result<Bytes> fullestAllocation(const Scenario& scenario, Bytes enough, const Watch& watch) {
    Bytes fullest;
    FABRICAST_ASSIGN(const auto stages, stagesThatDecide(scenario));
    for (const std::int64_t stage : stages) {
        FABRICAST_ASSIGN(const StageMemory walked, peakOfStage(scenario, {.stage = stage}, watch));
        fullest = std::max(fullest, walked.allocated);
        if (fullest >= enough) {
            break;
        }
    }
    return fullest;
}

}  // namespace fabricast
