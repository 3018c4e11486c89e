#pragma once
#include "planner/ops/op_builder.h"
#include "planner/ops/rank_shape.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <string_view>

namespace fabricast {

/// transformers' GPT-2 multiplies by its weights as they are stored; others call nn.Linear.
bool usesConv1d(const Scenario& scenario);

struct Projected {
    TensorId q, k, v;
};

/// Queries, keys and values of one attention, each query and key normed by head where the model
/// does that.
Projected projectQkv(OpBuilder& g, const Scenario& scenario, const RankShape& shape, TensorId x);

/// Multi-head latent attention as torchtitan writes it: low-rank projections whole on every rank,
/// the up-projections split over tp, keys and values as slices of one up-projection.
TensorId latentAttention(OpBuilder& g, const Scenario& scenario, TensorId x);

}  // namespace fabricast
