#pragma once
#include "planner/base/result.h"
#include "planner/ops/megatron_linear.h"
#include "planner/ops/op_list.h"
#include "planner/spec/scenario.h"

#include <vector>

namespace fabricast {

/// The dense MLP from the norm's output to the second product; its bias, if any, is not added yet.
struct MlpOutput {
    TensorId out = kNoTensor;
    int bias = -1;
};
MlpOutput megatronMlp(MegatronCode& m, TensorId x);

/// silu(gate) · up, or gelu(x + bias): Megatron's autograd functions keep their input and compute
/// the rest again, step by step unless they are compiled into one kernel.
TensorId gatedActivation(MegatronCode& m, TensorId gateAndUp);

/// This is one layer of megatron-core's GPTModel: with the modules written in PyTorch (the local
/// spec), or with Transformer Engine's fused ones.
Result<OpList> megatronLayer(const Scenario& scenario, std::int64_t layer);
/// The same among other operations: hidden states in, hidden states out.
TensorId megatronLayerOps(MegatronCode& m, TensorId x, bool sparse);
/// The tables that a layer's ops read from outside: latent attention's angles, which it keeps.
std::vector<std::int64_t> megatronTableBytes(const Scenario& scenario);

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
