#pragma once
#include "planner/ops/megatron_linear.h"

namespace fabricast {

/// Self-attention with grouped heads, from the norm's output to the projection's (its bias, if any,
/// goes to `bias`): one fused q/k/v matrix, rotary embedding, flash or unfused attention.
struct AttentionOutput {
    TensorId out = kNoTensor;
    int bias = -1;
};
AttentionOutput megatronAttention(MegatronCode& m, TensorId x);

/// Scaled dot product attention: one kernel, or each step an op of its own that keeps its scores.
struct Heads {
    TensorId q = kNoTensor;
    TensorId k = kNoTensor;
    TensorId v = kNoTensor;
};
TensorId coreAttention(MegatronCode& m, const Heads& heads);

/// Rotates the first `dim` columns of x's heads, as megatron-core writes it in PyTorch: cos and sin
/// are computed for this tensor alone, and kept.
TensorId rotaryWritten(MegatronCode& m, TensorId x, std::int64_t dim);

}  // namespace fabricast
