#pragma once
#include "planner/base/result.h"
#include "planner/result/memory_breakdown.h"
#include "planner/result/stage_action.h"
#include "planner/spec/scenario.h"
#include "simulator/engine/simulate.h"
#include "simulator/program/stage_ranks.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

/// A microbatch through a stage on one actor, from its first op's start to its last one's end.
struct RankPass {
    StageAction action;
    SimTime begin;
    SimTime end;
};

/// What an actor of a step runs: its passes in their order, and its optimizer, with what all ranks
/// wait for before it. Where none is, both times are the step's end.
struct RankPasses {
    std::vector<RankPass> passes;
    SimTime optimizerBegin;
    SimTime optimizerEnd;
};

StageActions actionsOf(const RankPasses& rank);

/// By actor. Passes of one actor follow each other.
std::vector<RankPasses> passesOfActors(const SimProgram& program, const SimRun& run);

/// The number of live bytes from this time on.
struct MemoryPoint {
    SimTime at;
    MemoryByKind bytes;
};

/// One rank's memory through a simulated step, requested bytes: while a pass runs, what it takes at
/// its peak; between passes, what remains.
struct MemoryCurve {
    std::int64_t stage = 0;
    ActorIndex actor = 0;    ///< whose passes these are
    Bytes rest;              ///< between steps: after the last op, and before the first one
    Bytes peak;              ///< the most of all points
    SimTime peakFrom;        ///< the pass, or the optimizer step, in which it is reached first
    SimTime peakUntil;       ///< likewise
    std::string peakMoment;  ///< what runs then: "backward of layer 31"
    std::vector<MemoryPoint> points;  ///< in the order of time, from 0; only changes
};

/// The memory of one rank of each of these pipeline stages: the walk of its passes, in the order
/// in which they were simulated, at the times at which they ran. A step ends with what it began
/// with: that is checked.
///     FABRICAST_ASSIGN(const auto curves, memoryCurves(scenario, program, run, ranks, {0}));
Result<std::vector<MemoryCurve>> memoryCurves(const Scenario& scenario,
                                              const SimProgram& program,
                                              const SimRun& run,
                                              const StageRanks& ranks,
                                              const std::vector<std::size_t>& stages);

}  // namespace fabricast
