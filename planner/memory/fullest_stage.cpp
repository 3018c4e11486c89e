#include "planner/memory/program/ordered_stages.h"
#include "planner/memory/stage_memory.h"
#include "planner/memory/walk_stage.h"
#include "planner/ops/attention_kernels.h"
#include "planner/sharding/stage_shape.h"
#include "planner/spec/stage_split.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
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

/// What tells how full a stage likely is: its layers with experts, all layers and ends of the
/// model, and, of stages with as much, how many come after it.
using Work = std::array<std::int64_t, 4>;

Work workOf(std::string_view content, std::int64_t stage) {
    const auto count = [content](std::string_view kinds) {
        return std::ranges::count_if(
            content, [kinds](char kind) { return kinds.find(kind) != std::string_view::npos; });
    };
    return {count("s"), count("sd"), count("()"), -stage};
}

/// Stages that run the same, and have as much in flight: with the orders of those to be walked.
struct Alike {
    std::int64_t inFlight = 0;
    std::vector<std::int64_t> stages;
    std::vector<PipelineOrder> orders;
};

bool isSame(const PipelineOrder& a, const PipelineOrder& b) {
    return a.held == b.held &&
           std::ranges::equal(
               a.actions, b.actions, [](const PipelineAction& one, const PipelineAction& other) {
                   return one.forward == other.forward && one.chunk == other.chunk &&
                          one.microBatch == other.microBatch;
               });
}

/// torch's interleaved schedule: what has been received by a pass differs between stages.
bool receivesByStage(const Scenario& scenario) {
    const Engine engine = scenario.settings.engine;
    return scenario.layout.schedule == ScheduleKind::Interleaved && engine != Engine::Megatron &&
           engine != Engine::DeepSpeed;
}

/// Whether a stage that is already among them is walked as this one would be. With one chunk a
/// rank most in flight says everything.
bool isWalked(const Scenario& scenario, const Alike& alike, const PipelineOrder& order) {
    if (scenario.layout.vpp == 1) {
        return !alike.stages.empty();
    }
    return !receivesByStage(scenario) &&
           std::ranges::any_of(
               alike.orders, [&order](const PipelineOrder& other) { return isSame(order, other); });
}

bool hasWindows(const ModelSpec& model) {
    bool any = false;
    for (std::int64_t layer = 0; layer < model.layers; ++layer) {
        any = any || hasWindow(model, layer);
    }
    return any;
}

/// Whether either chunk of a stage may stand for the other: they run the same layers, and passes
/// own what they receive and send.
bool areChunksAlike(const Scenario& scenario, std::string_view content) {
    const std::string_view first = content.substr(0, content.size() / 2);
    return isFolded(scenario.layout.schedule) && scenario.settings.engine != Engine::Megatron &&
           content.substr(first.size()) == first && !hasWindows(scenario.model);
}

/// Stages of one content that are to be walked.
std::vector<std::int64_t> decidingOf(const Scenario& scenario,
                                     std::string_view content,
                                     const Alike& alike) {
    if (!areChunksAlike(scenario, content)) {
        return alike.stages;
    }
    std::vector<std::int64_t> stages;
    for (const std::size_t place : fullestOrders(alike.orders)) {
        stages.push_back(alike.stages[place]);
    }
    return stages;
}

}  // namespace

Result<std::vector<std::int64_t>> stagesThatDecide(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    FABRICAST_ASSIGN(
        const auto layers,
        splitLayers(
            scenario.model.layers,
            {.stages = layout.pp, .chunks = layout.vpp, .pipeline = scenario.settings.pipeline}));
    std::map<std::string, Alike> contents;
    for (std::int64_t stage = 0; stage < layout.pp; ++stage) {
        FABRICAST_ASSIGN(PipelineOrder order, pipelineOrder(scenario, stage));
        const std::int64_t inFlight = mostInFlight(order);
        Alike& alike = contents[contentOf(scenario, layers, stage)];
        if (inFlight > alike.inFlight) {
            alike = {inFlight, {}, {}};
        }
        if (inFlight == alike.inFlight && !isWalked(scenario, alike, order)) {
            alike.stages.push_back(stage);
            alike.orders.push_back(std::move(order));
        }
    }
    std::vector<std::int64_t> stages;
    Work most{-1};
    std::int64_t likely = 0;
    for (const auto& [content, alike] : contents) {
        const std::vector<std::int64_t> deciding = decidingOf(scenario, content, alike);
        stages.insert(stages.end(), deciding.begin(), deciding.end());
        if (const Work work = workOf(content, deciding.front()); work > most) {
            most = work;
            likely = deciding.front();
        }
    }
    std::sort(stages.begin(), stages.end());
    const auto first = std::find(stages.begin(), stages.end(), likely);
    std::rotate(stages.begin(), first, first + 1);
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
