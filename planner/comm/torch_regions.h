#pragma once
#include "planner/comm/collective_groups.h"

namespace fabricast {

/// These are the calls of parallel regions in models of transformers and plain PyTorch, one chunk's
/// for each microbatch: tensor parallel plans (DeepSpeed's AutoTP too), attention over split
/// sequences, experts over ranks, pipeline modules. Read in their code, except DeepSpeed's
/// DistributedAttention.
Calls torchRegionCalls(const StageView& view, const ChunkView& chunk);

/// deepspeed.moe.layer.MoE: the whole buffer of rows, what no token fills too, goes to the experts'
/// ranks and back; where no token is dropped the group agrees on the fullest expert first.
Calls deepspeedExpertCalls(const StageView& view, const ChunkView& chunk);

/// AutoEP: how many rows of each expert there are, then the rows to the experts' ranks and back.
Calls autoEpCalls(const StageView& view, const ChunkView& chunk);

/// Marks calls as not recorded.
Calls asRead(Calls calls);

}  // namespace fabricast
