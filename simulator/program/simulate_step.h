#pragma once
#include "planner/base/result.h"
#include "planner/estimate/estimate_step.h"
#include "simulator/engine/critical_path.h"
#include "simulator/links/link_use.h"
#include "simulator/program/step_program.h"

#include <cstddef>
#include <stop_token>
#include <vector>

namespace fabricast {

/// One simulated training step, and the forecast by formulas: both by the speeds of the machine.
struct SimulatedStep {
    StepEstimate forecast;
    double stretch = 1.0;  ///< what own runs like it took beside that
    SimProgram program;
    SimRun run;
    CriticalPath path;
    std::vector<LinkUse> links;
    SimTime slowed;  ///< of the critical path: what transfers take longer because links are shared
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
                                   const StepDetail& detail,
                                   const std::stop_token& stop = {});

/// How many ops the passes of such a simulation have: it takes about a microsecond for each.
Result<std::size_t> expectedOps(const Scenario& scenario, const TimingProfiles& profiles);

/// The forecast of a step with the simulated time in place of its own: usable like a forecast.
Result<StepEstimate> simulatedEstimate(const Scenario& scenario, const TimingProfiles& profiles);

}  // namespace fabricast
