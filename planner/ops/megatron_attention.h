#pragma once
#include "planner/ops/megatron_linear.h"

#include <vector>

namespace fabricast {

/// Self-attention with grouped heads, from the norm's output to the projection's (its bias, if any,
/// goes to `bias`): one fused q/k/v matrix, rotary embedding, flash or unfused attention.
struct AttentionOutput {
    TensorId out = kNoTensor;
    int bias = -1;
};
AttentionOutput megatronAttention(MegatronCode& m, TensorId x);
/// Multi-head latent attention: queries (optionally), keys and values come out of narrow latents;
/// only part of each head is rotated, and all heads share one rotated key.
AttentionOutput megatronLatentAttention(MegatronCode& m, TensorId x);

/// Scaled dot product attention: one kernel, or each step an op of its own that keeps its scores.
struct Heads {
    TensorId q = kNoTensor;
    TensorId k = kNoTensor;
    TensorId v = kNoTensor;
};
TensorId coreAttention(MegatronCode& m, const Heads& heads);

/// Rotates x's heads of `dim` columns, as megatron-core writes it in PyTorch: cos and sin are
/// computed for this tensor alone, and kept. Latent attention first puts even columns before odd.
struct RotaryShape {
    std::int64_t dim = 0;
    bool reorders = false;
    TensorIds angles;  ///< a tensor the layer itself keeps, if any
};
TensorId rotaryWritten(MegatronCode& m, TensorId x, const RotaryShape& shape);

}  // namespace fabricast
