#pragma once
#include "cli/global_options.h"
#include "cli/run_flags.h"
#include "cli/straggler_flag.h"
#include "planner/budget/budget_facts.h"
#include "planner/estimate/estimate_step.h"
#include "simulator/report/simulation.h"

namespace fabricast {

/// A step that is asked for with slow GPUs, jitter, failures.
struct TroubledStep {
    Scenario scenario;
    TimingProfiles timing;
    StepDetail detail;  ///< without the slow GPUs
    std::vector<Straggler> stragglers;
};

/// The step with the GPUs that are slow all the time, and how long it would take without them.
/// Those whose stage nobody has said are in the busiest one.
Result<Simulation> simulateTroubled(TroubledStep& step);

/// Runs of that step.
Result<RunAnswer> simulateRuns(const Simulation& simulation,
                               const TroubledStep& step,
                               const BudgetFacts& facts,
                               const RunFlags& flags,
                               const GlobalOptions& options);

}  // namespace fabricast
