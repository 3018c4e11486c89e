#pragma once
#include "planner/base/result.h"
#include "planner/estimate/estimate_step.h"
#include "simulator/engine/critical_path.h"
#include "simulator/program/step_program.h"

namespace fabricast {

/// One simulated training step, beside what the formulas say of it.
struct SimulatedStep {
    StepEstimate forecast;
    SimProgram program;
    SimRun run;
    CriticalPath path;
    StepDetail detail;

    [[nodiscard]] bool expanded() const { return detail.ranks == Ranks::All; }
    /// Of the simulation over the forecast: 0.01 is one percent longer.
    [[nodiscard]] double difference() const {
        return seconds(run.makespan) / forecast.step.value - 1.0;
    }
};

///     FABRICAST_ASSIGN(const SimulatedStep step, simulateStep(scenario, timing, {}));
Result<SimulatedStep> simulateStep(const Scenario& scenario,
                                   const TimingProfiles& profiles,
                                   const StepDetail& detail);

}  // namespace fabricast
