#pragma once
#include "planner/estimate/stage_time.h"
#include "planner/result/stage_action.h"
#include "planner/stack/rank_groups.h"
#include "simulator/engine/sim_program.h"

#include <optional>
#include <vector>

namespace fabricast {

/// A piece of a pass on one of the rank's streams. Those of a collective start when all ranks of
/// the group are there.
struct PassPiece {
    SimStream stream = SimStream::Compute;
    SimTime duration;
    std::optional<GroupKind> group;
};

/// A microbatch through a model chunk, one piece after the other: kernels, and what they wait for.
/// Together they last as long as the pass, to the picosecond. At least one.
using PassPieces = std::vector<PassPiece>;
PassPieces passPieces(const ChunkTime& chunk, Pass pass);

/// The same in two parts, of which the first takes `share` of each piece.
struct CutPass {
    PassPieces first;
    PassPieces rest;
};
CutPass cutPass(const PassPieces& pieces, double share);

}  // namespace fabricast
