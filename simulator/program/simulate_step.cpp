#include "simulator/program/simulate_step.h"

#include "planner/estimate/step_pieces.h"

#include <utility>

namespace fabricast {

Result<SimulatedStep> simulateStep(const Scenario& scenario,
                                   const TimingProfiles& profiles,
                                   const StepDetail& detail) {
    FABRICAST_ASSIGN(StepEstimate forecast, estimateStep(scenario, profiles));
    FABRICAST_ASSIGN(const StepPieces pieces, stepPieces(scenario, profiles));
    FABRICAST_ASSIGN(SimProgram program, stepProgram(scenario, pieces, detail));
    FABRICAST_ASSIGN(SimRun run, simulate(program));
    CriticalPath path = criticalPath(program, run);
    return SimulatedStep{.forecast = std::move(forecast),
                         .program = std::move(program),
                         .run = std::move(run),
                         .path = std::move(path),
                         .detail = detail};
}

}  // namespace fabricast
