#pragma once
#include "planner/evidence/site_profile.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"
#include "simulator/faults/run_study.h"
#include "simulator/memory/memory_curve.h"
#include "simulator/program/simulate_step.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// Many runs of the step, and what they rest on.
struct RunAnswer {
    RunStudy study;
    CheckpointMode checkpoint = CheckpointMode::Async;
    std::string site;
    double jitter = 0.0;  ///< of a rank's kernels, from step to step
};

/// All that is known of a layout that was simulated: what is written as text, JSON or a trace.
struct Simulation {
    Scenario scenario;
    SimulatedStep step;
    std::optional<Seconds> undisturbed;  ///< the step without slow GPUs and failures, if any
    MemoryBreakdown memory;
    std::vector<MemoryCurve> curves;  ///< of the stages that are shown, including the highest peak
    std::optional<RunAnswer> run;
    std::vector<std::string> notes;  ///< what was assumed

    /// Of the stages' actors those of the slow replica come after those of the usual one.
    [[nodiscard]] bool isSlowReplica(std::size_t actor) const {
        return !step.expanded() && actor >= stages();
    }
    [[nodiscard]] std::size_t stages() const {
        return static_cast<std::size_t>(scenario.layout.pp);
    }
};

}  // namespace fabricast
