#pragma once
#include "planner/base/units.h"
#include "planner/budget/budget_facts.h"
#include "planner/result/run_cost.h"
#include "planner/spec/cluster_spec.h"
#include "planner/spec/scenario.h"

#include <cstdint>

namespace fabricast {

/// What a run has to save to resume: weights, master weights and optimizer moments of every
/// trained parameter, once each, as the stack keeps them. No gradients, and of LoRA the adapters
/// alone.
Bytes checkpointBytes(const Scenario& scenario);

// How often to save: d is the time a checkpoint stops the run, M the mean time between failures.

/// Daly's higher order: sqrt(2 d M) (1 + sqrt(d / 2M) / 3 + d / 18M) - d below d = 2M, else M.
Seconds dalyInterval(Seconds blocking, Seconds mtbf);

/// What one cycle is made of.
struct CycleTimes {
    Seconds interval;  ///< t, of useful work; infinite: it never saves
    Seconds blocking;  ///< d
    Seconds recovery;  ///< R, from a failure to useful work
    Seconds mtbf;      ///< M; infinite: nothing fails
};

/// The share of useful work where failures come at random: t / (M e^(R/M) (e^((t+d)/M) - 1)). One
/// checkpoint interval takes M e^(R/M) (e^((t+d)/M) - 1) on average, with all that is done again.
/// Zero where failures occur faster than the run recovers.
double cycleGoodput(const CycleTimes& cycle);

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
