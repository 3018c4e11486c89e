#pragma once
#include "planner/base/units.h"
#include "planner/spec/model_spec.h"

#include <cstdint>

namespace fabricast {

/// Elements of all matrices that one token is multiplied with, in forward: attention, MLP, router,
/// shared and top-k routed experts, head; no table lookups.
///     forward FLOPs per token of all linears = 2 · activeMatrixElements(model)
double activeMatrixElements(const ModelSpec& model);
/// The same of the multi-token-prediction layers, each with its own logits.
double activePredictionElements(const ModelSpec& model);

/// a·(d_qk + d_v): multiply-adds per token and position seen, for the scores and their use.
double scoreElements(const ModelSpec& model);

/// The positions a token attends to on average over a causal sequence, with a window (0: none):
/// Σ min(i, w) / s.
double meanTokensSeen(std::int64_t sequence, std::int64_t window);

Flops matmulFlopsPerToken(const ModelSpec& model, std::int64_t sequence);
Flops megatronFlopsPerToken(const ModelSpec& model, std::int64_t sequence);

}  // namespace fabricast
