#pragma once
#include "planner/ops/hf_positions.h"
#include "planner/ops/op_builder.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// Multi-head latent attention as transformers' DeepSeek-V2 and -V3 write it: queries and keys are
/// made whole for every head, their rotary part turned by itself and joined with the rest. Values
/// narrower than keys run PyTorch's memory-efficient kernel, which takes them as they are.
TensorId hfLatentAttention(OpBuilder& g, const Scenario& scenario, TensorId x);

/// Queries and keys turned as complex numbers, whose fp32 copies live until both are done.
struct TurnedPair {
    TensorId q = kNoTensor;
    TensorId k = kNoTensor;
};
TurnedPair turnAsComplex(OpBuilder& g, TensorId table, TensorId q, TensorId k);

}  // namespace fabricast
