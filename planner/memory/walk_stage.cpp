#include "planner/memory/walk_stage.h"

#include "planner/memory/check_lora.h"
#include "planner/memory/device/caching_allocator.h"
#include "planner/memory/device/peak_terms.h"
#include "planner/memory/make_boundary.h"
#include "planner/memory/make_engine.h"
#include "planner/memory/program/stage_program.h"
#include "planner/memory/reserved_band.h"
#include "planner/memory/walk/step_walk.h"

#include <string>

namespace fabricast {

namespace {

/// Layers walked in a step, on all stages together; beyond it the answer would take seconds.
constexpr std::size_t kMostPasses = 400'000;

/// Full checkpointing keeps the layer's input alone.
std::int64_t keptByLayer(const PlacedSegment& layer) {
    const OpList& ops = *layer.place.ops;
    return layer.checkpoint == Checkpointing::Full && layer.reentrant ? ops.tensor(ops.input).bytes
                                                                      : savedBytes(ops, true);
}

}  // namespace

Result<StageMemory> walkStage(const Scenario& scenario,
                              const StageRank& where,
                              Allocator allocator,
                              Bytes replayUpTo) {
    FABRICAST_TRY(checkLora(scenario));
    FABRICAST_ASSIGN(const StageProgram program, stageProgram(scenario, where.stage));
    Device device;
    device.keepEvents(allocator != Allocator::PeakOnly);
    FABRICAST_ASSIGN(const auto engine, makeEngine(scenario, device, program, where));
    FABRICAST_ASSIGN(const auto order, pipelineOrder(scenario, where.stage));
    const std::size_t stages = static_cast<std::size_t>(scenario.layout.pp);
    if (order.actions.size() > kMostPasses / stages / program.segments.size()) {
        return fail(Error::Code::Unsupported,
                    "layout.schedule",
                    "a step of " + std::to_string(order.actions.size()) + " passes over " +
                        std::to_string(program.segments.size()) + " layers is too long to walk",
                    "use fewer microbatches per group, or fewer chunks");
    }
    StepWalk walk(device, *engine, program, scenario.settings.precision.autocast);
    const auto boundary = makeBoundary(scenario, device, program, order, where.stage);
    walk.run(order, *boundary);
    StageMemory memory;
    memory.stage = where.stage;
    memory.inFlight = mostInFlight(order);
    memory.localParameters = program.elements();
    memory.atPeak = device.atPeak();
    memory.peakAt = device.peakMoment();
    memory.requested = Bytes(device.peak());
    memory.allocated = Bytes(device.peakRounded());
    if (allocator == Allocator::Replay && memory.requested <= replayUpTo) {
        const Footprint footprint =
            replaySteps(device.events(), walk.statesEnd(), scenario.settings.allocator);
        memory.allocated = Bytes(footprint.allocated);
        memory.reserved = reservedBand(scenario.settings.engine, footprint);
    }
    memory.host = Bytes(engine->host().bytes);
    memory.betweenSteps = Bytes(walk.betweenSteps());
    if (allocator == Allocator::PeakOnly) {
        return memory;
    }
    memory.terms = peakTerms(device, "one step of this rank, walked operation by operation");
    for (const PlacedSegment& segment : program.segments) {
        if (segment.role == SegmentRole::Layer) {
            memory.savedPerLayer = Bytes(keptByLayer(segment));
        }
    }
    return memory;
}

}  // namespace fabricast
