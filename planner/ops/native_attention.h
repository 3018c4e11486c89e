#pragma once
#include "planner/ops/attention_kernels.h"
#include "planner/ops/op_builder.h"
#include "planner/ops/rank_shape.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// What transformers' code hands to PyTorch's scaled_dot_product_attention (`sdpa`), and what that
/// makes of it. It has no argument for a window: a layer whose window is no longer than the
/// sequence gets a mask of the whole square, for which keys and values are copied for every query
/// head, and no kernel skips what a mask leaves out.
///     if (masksWindow(scenario, layer)) { bias = windowBias(g, scenario, mask, width); … }
bool callsNativeAttention(const Scenario& scenario);

/// True where layer `layer` attends under such a mask, and where any does.
bool masksWindow(const Scenario& scenario, std::int64_t layer);
bool masksAnyWindow(const Scenario& scenario);

/// Bytes of the mask that all of these layers share; none where there is none.
std::vector<std::int64_t> windowMaskBytes(const Scenario& scenario);
/// Declares it for layer `layer`; kNoTensor where that attends without.
TensorId windowMask(OpBuilder& g, const Scenario& scenario, std::int64_t layer);

/// Falcon's code hands one head of keys and values to all queries without saying so. No fused
/// kernel takes that: PyTorch multiplies in fp32 and keeps the probabilities, as its "math" has it.
bool attendsByMath(const Scenario& scenario);
TensorId mathAttention(OpBuilder& g, const Scenario& scenario, const Projected& projections);

/// Attention under the mask: PyTorch makes numbers of the queries' type of it, for each sample, and
/// keeps them for backward.
TensorId maskedAttention(OpBuilder& g,
                         const Scenario& scenario,
                         const Projected& projections,
                         TensorId mask,
                         const OpBuilder::AttentionShape& shape);

}  // namespace fabricast
