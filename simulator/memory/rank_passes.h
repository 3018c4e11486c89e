#pragma once
#include "planner/result/stage_action.h"
#include "simulator/engine/simulate.h"

#include <cstdint>
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

}  // namespace fabricast
