#pragma once
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"
#include "simulator/memory/memory_curve.h"
#include "simulator/program/simulate_step.h"

#include <string>
#include <vector>

namespace fabricast {

/// All that is known of a layout that was simulated: what is written as text, JSON or a trace.
struct Simulation {
    Scenario scenario;
    SimulatedStep step;
    MemoryBreakdown memory;
    std::vector<MemoryCurve> curves;  ///< of the stages that are shown, the fullest among them
    double wallSeconds = 0.0;         ///< that simulating took
    std::vector<std::string> notes;   ///< what was assumed
};

}  // namespace fabricast
