#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/budget/budget_facts.h"
#include "planner/estimate/estimate_step.h"
#include "planner/result/explanation.h"
#include "planner/result/memory_breakdown.h"
#include "planner/result/plan_report.h"
#include "planner/spec/scenario.h"

#include <cstddef>
#include <vector>

namespace fabricast {

/// Adds what `--why states` prints: the stack's bytes per parameter, times the parameters of each
/// stage, as the rules of thumb count them (no activations, nothing gathered, no buffers); and
/// `--why traffic`: what data parallel ranks reduce and gather in a step. For DeepSpeed also `--why
/// deepspeed_estimate`: what its own estimator would say.
void addStateTerms(const Scenario& scenario, MemoryBreakdown& memory);

/// The matrix products of one forward pass of a layer on one rank, each with its time: what
/// time.gemm is a sum of. Of a model with experts the layers that have some.
Result<std::vector<ProductTime>> productTimes(const Scenario& scenario);

/// What the report's first plans take when they are simulated, in the order of that; those behind
/// them stay where they are. As many as `shown` are kept.
struct SecondOpinion {
    std::size_t plans = 0;
    std::size_t shown = 0;
    std::size_t threads = 1;
};
Result<PlanReport> withSimulations(PlanReport report,
                                   const SecondOpinion& asked,
                                   const TimingProfiles& timing,
                                   const BudgetFacts& budget,
                                   const Watch& watch);

}  // namespace fabricast
