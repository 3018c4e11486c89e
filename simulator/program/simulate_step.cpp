#include "simulator/program/simulate_step.h"

#include "planner/estimate/step_pieces.h"

#include <utility>

namespace fabricast {

Result<SimulatedStep> simulateStep(const Scenario& scenario,
                                   const TimingProfiles& profiles,
                                   StepDetail detail) {
    FABRICAST_ASSIGN(StepEstimate forecast, estimateStep(scenario, profiles));
    FABRICAST_ASSIGN(const StepPieces pieces, stepPieces(scenario, profiles));
    FABRICAST_ASSIGN(StepProgram step, stepProgram(scenario, pieces, detail));
    FABRICAST_ASSIGN(SimRun run, simulate(step.program));
    CriticalPath path = criticalPath(step.program, run);
    std::vector<LinkUse> links = linkUses(step.program, run, step.flows);
    return SimulatedStep{.forecast = std::move(forecast),
                         .program = std::move(step.program),
                         .run = std::move(run),
                         .path = std::move(path),
                         .links = std::move(links),
                         .detail = detail};
}

Result<StepEstimate> simulatedEstimate(const Scenario& scenario, const TimingProfiles& profiles) {
    FABRICAST_ASSIGN(SimulatedStep simulated, simulateStep(scenario, profiles, {}));
    StepEstimate estimate = std::move(simulated.forecast);
    const double longer = 1.0 + simulated.difference();
    for (Seconds* const bound : {&estimate.step.value, &estimate.step.lo, &estimate.step.hi}) {
        *bound = *bound * longer;
    }
    estimate.tokensPerSecond /= longer;
    estimate.tokensPerGpuSecond /= longer;
    return estimate;
}

}  // namespace fabricast
