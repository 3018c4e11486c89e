#pragma once
#include "planner/comm/stage_view.h"

namespace fabricast {

/// These are the calls of torchtitan's parallel regions in one chunk, for each microbatch: tensor
/// and sequence parallelism with the vocabulary-parallel loss, context parallelism, experts.
Calls titanTensorCalls(const StageView& view, const ChunkView& chunk);
Calls titanContextCalls(const StageView& view, const ChunkView& chunk);
Calls titanExpertCalls(const StageView& view, const ChunkView& chunk);

/// Gradients of weights that tensor parallel ranks hold whole: one all-reduce each.
Calls titanSharedGradients(const StageView& view, const ChunkView& chunk);

/// Once a step: tokens, tokens per expert, what is printed.
Calls titanStepCalls(const StageView& view);

/// Whether checkpointing repeats reduce-scatters and all-to-alls: selective checkpointing keeps
/// their results where they are DTensor's functional collectives, and the default backend's are
/// not.
bool titanRepeatsScatters(const StageView& view);

}  // namespace fabricast
