#pragma once
#include "planner/budget/budget_facts.h"
#include "planner/result/run_cost.h"
#include "planner/spec/cluster_spec.h"

#include <cstdint>

namespace fabricast {

/// What of a run decides how much of its time is useful.
struct SavedRun {
    std::int64_t gpus = 1;
    Bytes checkpoint;  ///< all ranks together
    Seconds step;      ///< no checkpoint comes more often than a step
};

/// The share of a run's time that is useful work under failures at random. A checkpoint is split
/// evenly over the ranks:
///     sync      stops the run until storage has it
///     async     stops it for the copy to host memory; storage has it a write time later, and what
///               was done since the copy before is lost with a failure
///     two_level copies are kept in another host's memory too, which is enough for failures of one
///               host; storage gets one as often as it can take it, for the rest
Goodput goodputOf(const SavedRun& run, const ClusterSpec& cluster, const BudgetFacts& facts);

}  // namespace fabricast
