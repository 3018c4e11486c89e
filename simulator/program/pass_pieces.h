#pragma once
#include "planner/estimate/stage_time.h"
#include "planner/result/stage_action.h"
#include "planner/stack/rank_groups.h"
#include "simulator/engine/sim_program.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace fabricast {

/// A piece of a pass on one of the rank's streams. Those of a collective start when all ranks of
/// the group have arrived.
struct PassPiece {
    SimStream stream = SimStream::Compute;
    SimTime duration;
    std::optional<GroupKind> group;
    std::uint32_t flow = kNoFlow;
    bool beside = false;  ///< of the pieces after it, up to the next one on its stream
};

/// A microbatch through a model chunk, one piece after the other: in each of its layers, which are
/// assumed identical: overlapped transfers, kernels, and exposed transfers. Without
/// the overlapped ones, they last as long as the pass, to the picosecond. At least one.
using PassPieces = std::vector<PassPiece>;
struct PassFlows {
    std::uint32_t tensor = kNoFlow;
    std::uint32_t context = kNoFlow;
    std::uint32_t expert = kNoFlow;
    std::uint32_t shard = kNoFlow;
};
PassPieces passPieces(const ChunkTime& chunk, Pass pass, int layers, const PassFlows& flows);

/// The same in two parts, of which the first takes `share` of each piece.
struct CutPass {
    PassPieces first;
    PassPieces rest;
};
CutPass cutPass(const PassPieces& pieces, double share);

}  // namespace fabricast
