#pragma once
#include "planner/compute/attention_time.h"

namespace fabricast {

/// Attention without a fused kernel: batched products with the scores in memory between them, and
/// nothing saved by a mask. Time of one pass.
Seconds writtenOutAttentionTime(const KernelProfile& profile,
                                const Attention& attention,
                                const RateState& state);

}  // namespace fabricast
