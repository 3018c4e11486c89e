#include "planner/memory/walk_stage.h"

#include "planner/memory/check_memory.h"
#include "planner/memory/device/replay.h"
#include "planner/memory/make_engines.h"
#include "planner/memory/outer_states.h"
#include "planner/memory/overheads.h"
#include "planner/memory/program/stage_program.h"
#include "planner/memory/reference_model.h"
#include "planner/memory/run_phases.h"
#include "planner/memory/walk/step_walk.h"

#include <string>
#include <utility>

namespace fabricast {

namespace {

/// Layers walked in a step, on all stages together; beyond it the answer would take seconds.
constexpr std::size_t kMostPasses = 400'000;
/// Room for what most passes of a layer leave on the device's list, which grows if they leave more.
constexpr std::size_t kEventsPerSegment = 80;

/// Full checkpointing keeps the layer's input alone.
std::int64_t keptByLayer(const PlacedSegment& layer) {
    const OpList& ops = *layer.place.ops;
    return layer.checkpoint == Checkpointing::Full && layer.reentrant ? ops.tensor(ops.input).bytes
                                                                      : savedBytes(ops, true);
}

/// What a walk leaves besides what its device remembers.
struct Walk {
    StageMemory memory;
    std::size_t statesEnd = 0;
    std::size_t stepEnd = 0;
};

/// What a stage runs: of a step, and of an evaluation, if there is one.
struct Programs {
    const StageProgram& step;
    StageProgram evaluation;
};

Result<Programs> programsOf(const Scenario& scenario,
                            std::int64_t stage,
                            const StageProgram& step) {
    Programs programs{step, {}};
    if (scenario.settings.phases.evaluationBatch > 0) {
        FABRICAST_ASSIGN(programs.evaluation, stageProgram(evaluatedScenario(scenario), stage));
    }
    return programs;
}

void runBehindSteps(RunPhases& phases, const Programs& programs, ParallelEngine& engine) {
    phases.end("steps");
    if (phases.evaluates()) {
        phases.evaluate(programs.evaluation, engine);
    }
    phases.save(programs.step, engine);
}

/// Megatron's optimizer that shares its work with the host copies whole parameters at the start.
bool makesOptimizerTwice(const Scenario& scenario) {
    return scenario.settings.engine == Engine::Megatron &&
           scenario.layout.offload == Offload::OptimizerCpu &&
           scenario.settings.megatron.offloadFraction < 1.0;
}

Result<Walk> walked(const Scenario& scenario,
                    const StageRank& where,
                    const Programs& programs,
                    Device& device,
                    const Watch& watch) {
    const StageProgram& program = programs.step;
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
    device.expectEvents(kEventsPerSegment * (order.actions.size() + 1) * program.segments.size() /
                        program.chunks.size());
    RunPhases phases(scenario, device);
    phases.load(program);
    holdReference(scenario, program, device);
    holdOuter(scenario, program, device);
    StepWalk walk(device, *engine, program, scenario.settings.precision.autocast);
    if (phases.loads() || makesOptimizerTwice(scenario)) {
        walk.keepPeak();
    }
    walk.saveOnHost(scenario);
    const auto boundary = makeBoundary(scenario, device, program, order, where.stage);
    FABRICAST_TRY(walk.run(order, *boundary, watch));
    const std::size_t stepEnd = device.events().size();
    runBehindSteps(phases, programs, *engine);
    StageMemory memory;
    memory.stage = where.stage;
    memory.inFlight = mostInFlight(order);
    memory.localParameters = program.elements();
    memory.atPeak = device.atPeak();
    memory.peakAt = device.peakMoment();
    memory.requested = Bytes(device.peak());
    memory.allocated = Bytes(device.peakRounded());
    const HostMemory away = engine->host();
    memory.host = Bytes(away.bytes + walk.savedOnHost()) + outerOnHost(scenario, program);
    memory.nvme = Bytes(away.nvme);
    memory.eventsWalked = device.happened();
    memory.betweenSteps = Bytes(walk.betweenSteps());
    memory.phases = std::move(phases).take();
    return Walk{std::move(memory), walk.statesEnd(), stepEnd};
}

}  // namespace

Result<WalkedStage> WalkedStage::of(const Scenario& scenario,
                                    const StageRank& where,
                                    const Watch& watch) {
    FABRICAST_TRY(checkModelled(scenario));
    WalkedStage stage;
    FABRICAST_ASSIGN(StageProgram program, stageProgram(scenario, where.stage));
    stage.program_ = std::make_unique<StageProgram>(std::move(program));
    FABRICAST_ASSIGN(Programs programs, programsOf(scenario, where.stage, *stage.program_));
    FABRICAST_ASSIGN(Walk walk, walked(scenario, where, programs, stage.device_, watch));
    stage.evaluation_ = std::make_unique<StageProgram>(std::move(programs.evaluation));
    stage.engine_ = scenario.settings.engine;
    stage.allocator_ = allocatorRules(scenario.settings);
    stage.statesEnd_ = walk.statesEnd;
    stage.stepEnd_ = walk.stepEnd;
    stage.loads_ = scenario.settings.phases.loading != Loading::Meta;
    stage.memory_ = std::move(walk.memory);
    return stage;
}

StageMemory WalkedStage::inParts() const {
    StageMemory memory = memory_;
    memory.terms = peakTerms(device_, "one step of this rank, walked operation by operation");
    for (const PlacedSegment& segment : program_->segments) {
        if (segment.role == SegmentRole::Layer) {
            memory.savedPerLayer = Bytes(keptByLayer(segment));
        }
    }
    return memory;
}

Result<StageMemory> WalkedStage::replayed(const Watch& watch) const {
    StageMemory memory = inParts();
    FABRICAST_ASSIGN(
        const Footprint footprint,
        replayRun({device_.events(), statesEnd_, stepEnd_, loads_}, allocator_, watch));
    memory.allocated = Bytes(footprint.allocated);
    memory.reserved = reservedBand(engine_, footprint);
    memory.pinned = Bytes(footprint.pinned);
    if (engine_ == Engine::Ddp) {
        memory.reserved.hi += rebuiltBuckets(memory.atPeak.of(MemoryKind::Communication),
                                             memory.atPeak.of(MemoryKind::Optimizer));
    }
    return memory;
}

Result<StageMemory> walkStage(const Scenario& scenario, const StageRank& where) {
    FABRICAST_ASSIGN(const WalkedStage walked, WalkedStage::of(scenario, where));
    return walked.replayed();
}

Result<StageMemory> peakOfStage(const Scenario& scenario,
                                const StageRank& where,
                                const Watch& watch) {
    FABRICAST_TRY(checkModelled(scenario));
    FABRICAST_ASSIGN(const StageProgram program, stageProgram(scenario, where.stage));
    Device device;
    device.keepEvents(false);
    FABRICAST_ASSIGN(const Programs programs, programsOf(scenario, where.stage, program));
    FABRICAST_ASSIGN(Walk walk, walked(scenario, where, programs, device, watch));
    return std::move(walk.memory);
}

}  // namespace fabricast
