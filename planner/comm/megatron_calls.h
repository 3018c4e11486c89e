#pragma once
#include "planner/comm/stage_view.h"

namespace fabricast {

/// These are Megatron-Core's calls. In one chunk, for each microbatch: tensor and sequence
/// parallelism with the vocabulary-parallel loss, experts, and (Transformer Engine) context
/// parallelism. Once a step: the gradient buffers of a chunk, then what the end of backward
/// reduces.
Calls megatronTensorCalls(const StageView& view, const ChunkView& chunk);
Calls megatronExpertCalls(const StageView& view, const ChunkView& chunk);
Calls megatronContextCalls(const StageView& view, const ChunkView& chunk);
Calls megatronBufferCalls(const StageView& view, const ChunkView& chunk);
Calls megatronStepCalls(const StageView& view);

/// Slices that the ranks of a distributed optimizer own of a rank's weights: one of each weight for
/// each of them.
std::int64_t ownedSlices(const StageView& view);

/// Layers of a kind whose part is computed again in backward: all of it, or one module of it.
std::int64_t megatronRecomputed(const StageView& view, const LayerKind& kind, const char* module);

}  // namespace fabricast
