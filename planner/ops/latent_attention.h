#pragma once
#include "planner/ops/op_builder.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// Multi-head latent attention as torchtitan writes it: low-rank projections whole on every rank,
/// the up-projections split over tp, keys and values as slices of one up-projection.
TensorId latentAttention(OpBuilder& g, const Scenario& scenario, TensorId x);

}  // namespace fabricast
