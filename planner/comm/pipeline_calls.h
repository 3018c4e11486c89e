#pragma once
#include "planner/comm/stage_view.h"

namespace fabricast {

/// Activations and their gradients over the boundaries of a chunk: for each microbatch one send and
/// one receive on either side, of the tokens a rank holds. Nothing between two chunks of one rank.
Calls boundaryCalls(const StageView& view, const ChunkView& chunk);

/// The same as Megatron groups them: interleaved over two stages, one direction is the whole
/// world's group. What is sent in parts is gathered where it arrives.
Calls megatronBoundaryCalls(const StageView& view, const ChunkView& chunk);

}  // namespace fabricast
