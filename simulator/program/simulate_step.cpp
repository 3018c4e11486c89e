#include "simulator/program/simulate_step.h"

#include "planner/estimate/run_traits.h"
#include "planner/estimate/step_estimator.h"
#include "planner/spec/one_site.h"
#include "simulator/program/pipeline_program.h"

#include <utility>

namespace fabricast {

namespace {

/// Beyond what the path's transfers would take alone.
SimTime slowedOnPath(const SimProgram& program, const SimRun& run, const CriticalPath& path) {
    SimTime sum;
    for (const OpIndex op : path.ops) {
        const SimOp& one = program.ops()[op];
        if (one.flow != kNoFlow) {
            sum += run.lasted(op) - one.duration;
        }
    }
    return sum;
}

/// Without what own runs took beside their machine's speeds, which nothing can play.
Scenario bySpeeds(Scenario scenario) {
    scenario.cluster.node.own.like = {};
    return scenario;
}

/// A step is played by itself, without what happens once in many.
Result<void> checkSteps(const Scenario& scenario) {
    if (!trainsApart(scenario)) {
        return {};
    }
    return fail(
        Error::Code::Unsupported,
        "settings.outer.steps",
        "one step is simulated, and sites that train apart exchange nothing in most of them",
        "explain --section time, settings.outer.steps=0, or one of the sites without "
        "--sites");
}

}  // namespace

Result<SimulatedStep> simulateStep(const Scenario& scenario,
                                   const TimingProfiles& profiles,
                                   const StepDetail& detail,
                                   const std::stop_token& stop) {
    FABRICAST_TRY(checkSteps(scenario));
    FABRICAST_ASSIGN(StepEstimator estimator, StepEstimator::make(scenario.cluster, profiles));
    FABRICAST_ASSIGN(const LayerOps layers, layerOps(scenario));
    FABRICAST_ASSIGN(const ModelTime blocks, estimator.blocks(scenario, layers));
    FABRICAST_ASSIGN(StepEstimate forecast, estimator.estimate(bySpeeds(scenario), blocks));
    FABRICAST_ASSIGN(const StepPieces pieces, estimator.pieces(scenario, blocks));
    FABRICAST_ASSIGN(StepProgram step, stepProgram(scenario, pieces, detail, stop));
    FABRICAST_ASSIGN(SimRun run, simulate(step.program, stop));
    CriticalPath path = criticalPath(step.program, run);
    const SimTime slowed = slowedOnPath(step.program, run, path);
    std::vector<LinkUse> links = linkUses(step.program, run, step.flows);
    const double stretch = ownStretch(scenario, forecast.parts);
    return SimulatedStep{.forecast = std::move(forecast),
                         .stretch = stretch,
                         .program = std::move(step.program),
                         .run = std::move(run),
                         .path = std::move(path),
                         .links = std::move(links),
                         .slowed = slowed,
                         .detail = detail};
}

Result<std::size_t> expectedOps(const Scenario& scenario, const TimingProfiles& profiles) {
    FABRICAST_ASSIGN(StepEstimator estimator, StepEstimator::make(scenario.cluster, profiles));
    FABRICAST_ASSIGN(const LayerOps layers, layerOps(scenario));
    FABRICAST_ASSIGN(const ModelTime blocks, estimator.blocks(scenario, layers));
    FABRICAST_ASSIGN(const StepPieces pieces, estimator.pieces(scenario, blocks));
    FABRICAST_ASSIGN(const StageRanks ranks, ranksOf(scenario, {}));
    return countPassOps(scenario, pieces, ranks);
}

Result<StepEstimate> simulatedEstimate(const Scenario& scenario, const TimingProfiles& profiles) {
    FABRICAST_ASSIGN(SimulatedStep simulated, simulateStep(scenario, profiles, {}));
    StepEstimate estimate = std::move(simulated.forecast);
    const double longer = (1.0 + simulated.difference()) * simulated.stretch;
    for (Seconds* const bound : {&estimate.step.value, &estimate.step.lo, &estimate.step.hi}) {
        *bound = *bound * longer;
    }
    estimate.tokensPerSecond /= longer;
    estimate.tokensPerGpuSecond /= longer;
    return estimate;
}

}  // namespace fabricast
